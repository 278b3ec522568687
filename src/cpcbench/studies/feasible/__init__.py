"""The feasible ratio: which share of the box is admissible, counted or estimated by splitting."""
