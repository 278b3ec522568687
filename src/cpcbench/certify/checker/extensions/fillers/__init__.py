"""Better ranges of single nodes than their operands give."""
