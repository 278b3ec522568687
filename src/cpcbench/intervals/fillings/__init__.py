"""Parts of a formula whose range is better than that of their operands: holes, and u^p ln(u)."""
