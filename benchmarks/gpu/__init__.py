"""The kernels on a card: what it takes is prepared where cpcbench is installed, and run where the card is."""
