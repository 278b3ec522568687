"""The independent checker of certificates: plain-ended intervals in two arithmetics, and nothing of the prover."""

from cpcbench.certify.checker.checking import check
from cpcbench.certify.checker.core.verdict import Verdict
from cpcbench.certify.checker.files.guarded import check_file, check_file_apart

__all__ = ["Verdict", "check", "check_file", "check_file_apart"]
