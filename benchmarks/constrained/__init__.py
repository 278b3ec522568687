"""Problems with constraints from the literature: written from their mathematics, solved, and proven."""
