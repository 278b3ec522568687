"""What is outside of the package: optional libraries, the scripts of the Makefile."""
