"""The tests of cpcbench."""
