"""The authors' other two collections: curve fits and systems of equations."""
