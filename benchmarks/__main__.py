"""`make bench`: prints every measurement, the slowest part last."""

from rich.console import Console

from benchmarks import evaluation, startup

if __name__ == "__main__":
    console = Console(width=120)
    startup.run(console)
    evaluation.run(console)
