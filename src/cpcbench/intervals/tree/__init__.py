"""A tree of boxes that grows where the formula may be lowest, as the prover and `B&B` share it."""
