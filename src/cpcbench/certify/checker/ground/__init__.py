"""What all of the checker stands on: how it refuses, the time it may take, entries of a file read strictly."""
