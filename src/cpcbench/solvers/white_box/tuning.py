"""What was tuned in the white-box search, all in one place.

The sizes of herds, rounds and shares were set by hand on the 25 CPC problems and on problems made for its tests, until
the former were solved within half a minute each (docs/white-box.md has the table); none was searched for.
Where nothing else is said, lengths are shares of the box.
"""

from __future__ import annotations

import numpy as np

# The order of things
FIRST = 20_000
"""Evaluations that go to the black-box search; with fewer in all, it is all there is."""
LARGEST_BATCH, BATCHES = 48, 200
"""Points that it asks for at a time at most, and how many batches that are smaller there are for it."""
SEARCH, FINISH, SETTLE, THIN = 0.6, 0.7, 0.88, 1.0
"""When the stages end, as shares of the time."""
ROUND = 0.5, FINISH, SETTLE, THIN
"""The same as shares of the evaluations of a round, of which there may be several."""
PATIENCE = 4
"""Epochs without a lower value, after which the search ends."""
GRACE, COPIES = 0.3, 0.1
"""Seconds beyond the time for what needs no evaluations; and how long copies of the optimum are looked for when no
time is left, as a share of the time."""

# Herds
FIRST_HERD, LARGEST_HERD, EDGE_HERD, THIN_HERD = 500, 8000, 480, 160
"""Points of a herd over the whole box at first and at most, along edges, and on a thin slice."""
LEVELS, THIN_LEVELS = 70, 30
"""Levels that a herd goes down at most."""
LOOKS = (4, 10, 18, 28, 40, 54, 69)
"""At these levels climbs and corners start from the herd."""
FINEST = -17.0
"""The smallest step, as a power of ten: a few last bits."""
WHOLE = (-1, 0, 1, 2, 3, -2, -3, 4, 5, -4)
"""The exponents of thin slices, in this order."""

# Climbs
ADAPTED_STEPS, COORDINATE_STEPS = 0.7, 0.9
"""The part of the steps that is adapted ones, and up to where they are in coordinates; the rest are last bits."""
RACE = (150, 300, 800)
"""Steps of the climbs from a herd; after each of these the better third goes on."""
FINISHES = 2
"""Times that the lowest points are refined at the end."""

# Edges
NEAR = 1e-3
"""A herd goes along edges that a low point is nearer to than this."""
CORRECTIONS = 3
"""Newton steps back onto the edges after each step along them."""
HALVINGS = 4
"""Times that a step of Newton's is shortened where it leaves the domain."""
LONGEST = 0.1
"""Of a step of Newton's."""
RIDGE = 1e-13
"""Added to the squares of normed slopes, so that edges that touch have a step too."""
APART = 0.02
"""Sine of the angle between two edges that count as different."""
NOISE = 0.7
"""Orders of magnitude by which distances are blurred."""

# The judge and its candidates
FAITHFUL_KEPT = 8
"""Of the points that were the lowest faithful ones in their turn, how many are kept."""
JUDGED = 16
"""Of the lowest points found in doubles, how many are judged by all readings."""
SAME = 1e-9
"""Optima are all points whose value is within this of the lowest, relative above 1."""
SPREADS = (2.0, 4.0, 6.0, 8.0, 10.0, 3.0, 5.0, 7.0)
"""How far neighbours of an artefact are at most, as powers of ten of the distance between doubles."""
NEIGHBOURS, INWARD, SHORT = 2500, 500, 250
"""How many of them, of points a little inside the edges, and of points with short binary fractions."""
ON_EDGE = 1e-7
"""Nearer than this a point is on the edge."""
EACH = 15
"""Points judged of each set, from the lowest on."""

SQP_STEPS, DESCENTS, EARLY = 60, 2, 12
"""Steps of a descent under constraints, how many there are of them in a polish, and from chance points at first."""

TRIFLE = 1e-6
"""By how much a constraint may be missed where such a descent ends, as a share of the box, for it to count."""
HELD, STARTS, ALL_NUMBERS = 10_000, 3, 64
"""Evaluations of descents with whole variables held, starts of each; of how many choices of numbers all are tried."""

BACK = np.concatenate([[0.0], 10.0 ** np.arange(-17.0, -1.0, 0.5)])
"""From where such a descent ends, which may be outside by rounding, shares of the way back to where it began."""
