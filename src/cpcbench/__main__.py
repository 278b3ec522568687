"""`python -m cpcbench` is `cpcbench`."""

from cpcbench.cli import main

if __name__ == "__main__":
    main()
