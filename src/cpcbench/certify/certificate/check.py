"""`cpc.check`: what the independent checker says of a certificate, and whether it is about the problem meant."""

from __future__ import annotations

import math
import os
from typing import Any

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.schema import About
from cpcbench.certify.checker import Verdict
from cpcbench.certify.checker import check as check_data
from cpcbench.certify.checker.core.numbers import ARITHMETICS
from cpcbench.certify.checker.files.guarded import MEMORY, SECONDS, check_file_apart
from cpcbench.errors import CpcbenchError
from cpcbench.problems.problem import Problem


def check(
    certificate: Certificate | dict[str, Any] | str | os.PathLike[str],
    *,
    problem: Problem | None = None,
    arithmetic: str = "arb",
    workers: int = 1,
    seconds: float = SECONDS,
    memory: int = MEMORY,
) -> Verdict:
    """Whether a certificate, or the file of one, is a proof of its claim.

    A file is checked in a process of its own; what takes more time or memory than allowed is not checked, and the
    verdict says so.

    Parameters
    ----------
    certificate : Certificate, dict, str or path
        What `cpcbench.certify` gives, or the name of a file.
    problem : Problem, optional
        The formula on a box that it must be about; without, `verdict.about` says what it is about.
    arithmetic : {"arb", "mpfr"}
        The library whose intervals are used.
    workers : int
        Processes that share the work.
    seconds : float
        The most time.
    memory : int
        The most bytes.

    Returns
    -------
    Verdict
        `accepted`, and why not; what the proof is about, and the theorems it rests on.
    """
    if arithmetic not in ARITHMETICS:
        raise CpcbenchError(f"unknown arithmetic {arithmetic!r}: there are {' and '.join(ARITHMETICS)}")
    if not isinstance(workers, int) or workers < 1 or not seconds > 0 or math.isnan(seconds):
        raise CpcbenchError(f"workers and seconds are at least 1 and above 0, not {workers!r} and {seconds!r}")
    about = None if problem is None else About.of(problem).meant
    if isinstance(certificate, (str, os.PathLike)):
        return check_file_apart(
            certificate, problem=about, arithmetic=arithmetic, workers=workers, seconds=seconds, memory=memory
        )
    data = certificate.data if isinstance(certificate, Certificate) else certificate
    return check_data(data, problem=about, arithmetic=arithmetic, workers=workers, seconds=seconds)
