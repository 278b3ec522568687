"""The paper's methods, and its remedies."""
