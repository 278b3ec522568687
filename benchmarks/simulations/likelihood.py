"""How likely autocorrelations are for a series: the exact likelihood of a normal one, by a Cholesky factor.

The series is that of airline passengers (series G of Box and Jenkins, 1976), its logarithms differenced at lags 1 and
12. Most autocorrelations in the box belong to no process: their matrix has no factor.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_solve, cholesky, toeplitz

from cpcbench.points import Floats

PASSENGERS = """
112 118 132 129 121 135 148 148 136 119 104 118 115 126 141 135 125 149 170 170 158 133 114 140
145 150 178 163 172 178 199 199 184 162 146 166 171 180 193 181 183 218 230 242 209 191 172 194
196 196 236 235 229 243 264 272 237 211 180 201 204 188 235 227 234 264 302 293 259 229 203 229
242 233 267 269 270 315 364 347 312 274 237 278 284 277 317 313 318 374 413 405 355 306 271 306
315 301 356 348 355 422 465 467 404 347 305 336 340 318 362 348 363 435 491 505 404 359 310 337
360 342 406 396 420 472 548 559 463 407 362 405 417 391 419 461 472 535 622 606 508 461 390 432
"""
MONTHLY = np.diff(np.log([float(word) for word in PASSENGERS.split()]))
SERIES = MONTHLY[12:] - MONTHLY[:-12]
LAGS = (1, 2, 11, 12, 13)

BOUNDS = [(-0.6, 0.6)] * len(LAGS)
"""The autocorrelations at these lags."""


def simulate(x: Floats) -> float:
    row = np.zeros(len(SERIES))
    row[0] = 1.0
    row[list(LAGS)] = x
    factor = cholesky(toeplitz(row), lower=True)  # raises LinAlgError where there is none
    squares = float(SERIES @ cho_solve((factor, True), SERIES)) / len(SERIES)
    return 0.5 * len(SERIES) * math.log(squares) + float(np.log(np.diag(factor)).sum())
