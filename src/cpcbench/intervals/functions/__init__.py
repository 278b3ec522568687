"""The functions of one operand over intervals, one entry each."""
