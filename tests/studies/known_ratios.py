"""Domains whose share of the box is known."""

from __future__ import annotations

import math

import cpcbench as cpc

DISC = cpc.parse("sqrt(0.02 - x1^2 - x2^2)", bounds=(-1, 1), id="DISC")
DISC_RATIO = math.pi * 0.02 / 4
CORNER = cpc.parse("ln(0.1 - x1) + sqrt(0.2 - x2) * arcsin(1.25 - x3)", bounds=[(0, 1), (0, 1), (0, 2)], id="CORNER")
CORNER_RATIO = 0.1 * 0.2 * (2 - 0.25) / 2
RARE = cpc.parse("sqrt(1e-7 - x1^2 - x2^2)", bounds=(-1, 1), id="RARE")
RARE_RATIO = math.pi * 1e-7 / 4
