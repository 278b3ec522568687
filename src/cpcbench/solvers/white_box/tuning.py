"""What was tuned in the white-box search, all in one place.

The sizes of herds, rounds and shares were set by hand on the 25 CPC problems and on problems made for its tests, until
the former were solved within half a minute each (docs/white-box.md has the table); none was searched for.
Where nothing else is said, lengths are shares of the box.
"""

from __future__ import annotations

import numpy as np

# The order of things
FIRST = 20_000
"""Evaluations before herds begin."""
STAGES = (20_000, 40_000, 200_000)
"""How many evaluations the black-box searches are told that they have, one after the other; then there is one that is
not told. These do not depend on the budget: a search for more evaluations begins as one for few."""
LARGEST_BATCH, BATCHES = 48, 200
"""Points that it asks for at a time at most, and how many batches that are smaller there are for it."""
SHARES = {"black box": 0.25, "herds": 0.45, "guarded": 0.2, "refine": 0.15, "thin": 0.1, "near": 0.03, "tables": 0.03,
          "boxes": 0.03}  # fmt: skip
"""Of the work, as parts of what all have that are at work."""
STATED_NEAR = 0.45
"""The part of descents near what is known where there are constraints: other lanes seldom meet equations."""
LUCKY, LOWER = 3.0, 1e-9
"""So many times its share has the lane that came lower last, by this part of the value or, below 1, of 1."""
EARLY_SHARES = {"black box": 0.4, "near": 0.2, "tables": 0.2, "boxes": 0.2, "thin": 0.1}
"""The same before herds begin."""
FIRST_ROUND, GROWTH = 32.0, 0.25
"""The work of a round at least, and as a part of all before it; after each the lanes tell each other what they have."""
LAST_ROUNDS = 2
"""Rounds after the herds have ended."""
TOLD = 8
"""Points that a lane tells of."""
READS, FREE_READS = 20, 200_000
"""Readings of parts that count as much as an evaluation when work is shared out, and how many first ones do not."""
JUDGEMENT, NEWTON, TABLE = 1000.0, 250.0, 500.0
"""What a point judged by all readings counts for, some points brought onto edges or a descent, and a set of tables."""
FREE_WORK = 50_000.0
"""How much of that does not count at first."""
LONGEST_PIECE = 25_000
"""Evaluations that a lane may make before it looks whether its turn is over."""
PATIENCE = 4
"""Epochs without a lower value, after which the search ends."""
GRACE, COPIES = 0.3, 0.1
"""Seconds beyond the time for what needs no evaluations; and how long copies of the optimum are looked for when no
time is left, as a share of the time."""

# Herds
FIRST_HERD, FULL_HERD, LARGEST_HERD, EDGE_HERD, THIN_HERD = 60, 500, 8000, 480, 160
"""Points of a herd over the whole box at first, when it is of full size, and at most; along edges, on a thin slice."""
GROWING = 3
"""Epochs before herds have their full size."""
LEVELS, THIN_LEVELS = 70, 30
"""Levels that a herd goes down at most."""
LOOKS = (4, 10, 18, 28, 40, 54, 69)
"""At these levels climbs and corners start from the herd."""
FINEST = -17.0
"""The smallest step, as a power of ten: a few last bits."""
WHOLE = (-1, 0, 1, 2, 3, -2, -3, 4, 5, -4)
"""The exponents of thin slices, in this order."""

THIN_BEGINS, FEW_THIN = 500, 100
"""Evaluations of all lanes before thin slices are searched, and of a short search of each, before there are herds."""

# Climbs
ADAPTED_STEPS, COORDINATE_STEPS = 0.7, 0.9
"""The part of the steps that is adapted ones, and up to where they are in coordinates; the rest are last bits."""
RACE = (150, 300, 800)
"""Steps of the climbs from a herd; after each of these the better third goes on."""
PIECE = 100
"""Steps of climbers at a time."""
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

SQP_EVALUATIONS, LOST, IDLE, LITTLE = 25, 20, 12, 1e-9
"""Evaluations of a descent at most, for each variable and once more; of undefined ones on end; and without constraints
of those on end that are lower by no more than the last, relative above 1."""
TRIFLE = 1e-6
"""By how much a constraint may be missed where such a descent ends, as a share of the box, for it to count."""
BROUGHT = 8
"""Points that are brought just inside from where such a descent ends a trifle outside."""
HELD, STARTS, ALL_NUMBERS = 10_000, 3, 64
"""Evaluations of descents with whole variables held, starts of each; of how many choices of numbers all are tried."""

BACK = np.concatenate([[0.0], 10.0 ** np.arange(-17.0, -1.0, 0.5)])
"""From where such a descent ends, which may be outside by rounding, shares of the way back to where it began."""

# Tables of terms
WIDEST_BAG = 3
"""Variables of a table at most."""
GRIDS = {1: 1000, 2: 64, 3: 16}
"""Values of a variable in the first grids, by how many variables the largest table has."""
TABLES_GROW = 1.3
"""By how much grids of an attempt are finer than those of the one before."""
NARROWINGS, NARROWER = 32, 0.12
"""Grids of an attempt, and by how many powers of ten each is narrower than the one before, at least."""
LOW_OF_GRID, TABLE_NICHE = 4, 0.01
"""Points taken of a grid and kept of an attempt, and the size of a neighbourhood with only one."""

# Near what is known
ENTERING_HERD = 16
"""Points that walk into the domain together."""
NEAR_EACH, NEAR_NICHE = 4, 0.01
"""Points brought onto edges at a time; and the size of a neighbourhood from which there is one descent."""
NEAR_SAME, NEAR_SPREAD = 2, (-5.0, -1.0)
"""So many of them begin at the point itself, the others beside it, by powers of ten between these."""
ALL_CORNERS, DIGITS = 500, 12
"""Choices of edges up to which all corners are tried; and digits to which they are rounded."""

# The tree of boxes
RANGES_BEGIN = 100
"""Evaluations of all lanes before any looks at ranges over boxes: a shorter search need not wait until what reads them
is compiled, once on a machine."""
LOOKED_AT, AT_A_TIME, OF_OPEN, LOWEST_FIRST = 1500, 64, 8, 0.7
"""Ranges over boxes before points are tried; boxes halved between looks at the clock, at least, and one in so many of
the open ones; and the part of them that are the lowest, while the others are the oldest."""
CUTS = 2
"""How often each half is cut down to where the formula may be lower than the lowest value known."""
SEEN, CHANCE, TRIED = 64, 4, 3
"""Boxes whose middles are looked at by the conditions, one in so many of them any box; and of those that may have a
value, how many are evaluated."""
SMALLEST_GAIN = 1e-7
"""Boxes count as long as they may hold a value lower by this, relative above 1."""
SLOT = 0.02
"""What each operation of the formula in such a range counts for when work is shared out."""
MOST_BOXES, MOST_SIDES = 200_000, 4_000_000
"""Open boxes that are kept, and sides of them; of more of them the lower half stays."""
SMALLEST_BOX = 1e-14
"""Boxes with no side longer than this are given up; as a part of the size of the numbers in it, too."""
BOX_NICHE = 0.01
"""The size of a neighbourhood from which there is one descent."""
