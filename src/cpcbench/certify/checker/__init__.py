"""The independent checker of certificates: intervals of Arb's balls, and nothing of the prover."""

from cpcbench.certify.checker.checking import check
from cpcbench.certify.checker.files import check_file
from cpcbench.certify.checker.verdict import Verdict

__all__ = ["Verdict", "check", "check_file"]
