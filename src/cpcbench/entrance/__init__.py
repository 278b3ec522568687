"""Problems that come as something else than a formula: Python functions, expressions of other libraries."""
