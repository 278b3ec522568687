"""Arb computes with one precision for the whole process: whoever sets it holds this lock for as long as it counts."""

from __future__ import annotations

import threading

precision_lock = threading.RLock()
