"""A problem whose edge is known to the last bit."""

from __future__ import annotations

import cpcbench as cpc

HALF_PLANE = cpc.parse("ln(x1 - 0.3) + x2^2", bounds=[(-1, 2), (-1, 1)])
