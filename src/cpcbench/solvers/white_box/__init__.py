"""A solver that reads the formula: everything its readings give is used, nothing is stored about a problem."""

from cpcbench.solvers.white_box.judge import Candidate
from cpcbench.solvers.white_box.result import WhiteBoxResult
from cpcbench.solvers.white_box.solver import solve_expression

__all__ = ["Candidate", "WhiteBoxResult", "solve_expression"]
