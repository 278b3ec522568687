"""The independent checker of certificates: plain-ended intervals in two arithmetics, and nothing of the prover.

Code that the prover has as well is here a second time, on purpose. Imports go from the ground to the core, to the
extensions, to `checking` and the files.
"""

from cpcbench.certify.checker.checking import check
from cpcbench.certify.checker.files.guarded import check_file, check_file_apart
from cpcbench.certify.checker.ground.verdict import Verdict

__all__ = ["Verdict", "check", "check_file", "check_file_apart"]
