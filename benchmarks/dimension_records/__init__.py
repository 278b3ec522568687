"""Up to which number of variables proofs close."""
