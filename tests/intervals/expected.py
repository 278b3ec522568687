"""Names of what is asked of boxes and known of them."""

from __future__ import annotations

import math

INF = math.inf
NOWHERE, MAYBE, EVERYWHERE = 0, 1, 2
