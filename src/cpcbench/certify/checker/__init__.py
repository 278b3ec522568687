"""The independent checker of certificates: plain-ended intervals in two arithmetics, and nothing of the prover."""

from cpcbench.certify.checker.checking import check
from cpcbench.certify.checker.files.guarded import check_file, check_file_apart
from cpcbench.certify.checker.ground.verdict import Verdict

__all__ = ["Verdict", "check", "check_file", "check_file_apart"]
