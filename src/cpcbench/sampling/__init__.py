"""What several searches and studies share: points and numbers by chance, splitting, one CMA-ES."""
