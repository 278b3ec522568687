"""Problems with constraints from the literature, as formulas, with the least value that is known of each.

CEC 2006: Liang, Runarsson, Mezura-Montes, Clerc, Suganthan, Coello Coello and Deb, "Problem definitions and evaluation
criteria for the CEC 2006 special session on constrained real-parameter optimization". Real world: Kumar, Wu, Ali,
Mallipeddi, Suganthan and Das, "A test-suite of non-convex constrained optimization problems from the real-world and
some baseline results", Swarm and Evolutionary Computation 56, 2020. Zhang, Luo and Wang, "Differential evolution with
dynamic stochastic selection for constrained optimization", Information Sciences 178, 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cpcbench as cpc

CEC, REAL, DEDS = "CEC 2006", "real world 2020", "Zhang et al. 2008"


class Constrained(NamedTuple):
    """A problem of the literature: its name there, formula, box and constraints, the least value printed and where."""

    id: str
    formula: str
    bounds: Sequence[tuple[float, float]]
    subject_to: list[str]
    printed: float
    source: str
    tolerance: float = 1e-6

    @property
    def problem(self) -> cpc.Problem:
        return cpc.parse(
            self.formula, bounds=self.bounds, id=self.id, subject_to=self.subject_to, tolerance=self.tolerance
        )


_SHEAR = "6000/(sqrt(2)*x1*x2)"
_MOMENT = "6000*(14 + x2/2)"
_RADIUS = "sqrt(x2^2/4 + ((x1 + x3)/2)^2)"
_POLAR = "(2*(sqrt(2)*x1*x2*(x2^2/4 + ((x1 + x3)/2)^2)))"
_TORSION = f"({_MOMENT}*{_RADIUS}/{_POLAR})"

PROBLEMS = [
    Constrained(
        "G01",
        "5*(x1 + x2 + x3 + x4) - 5*(x1^2 + x2^2 + x3^2 + x4^2) - sum(i, 5, 13, x[i])",
        [(0, 1)] * 9 + [(0, 100)] * 3 + [(0, 1)],
        [
            "2*x1 + 2*x2 + x10 + x11 <= 10", "2*x1 + 2*x3 + x10 + x12 <= 10", "2*x2 + 2*x3 + x11 + x12 <= 10",
            "x10 <= 8*x1", "x11 <= 8*x2", "x12 <= 8*x3",
            "x10 <= 2*x4 + x5", "x11 <= 2*x6 + x7", "x12 <= 2*x8 + x9",
        ],
        -15.0, CEC,
    ),
    Constrained(
        "G04",
        "5.3578547*x3^2 + 0.8356891*x1*x5 + 37.293239*x1 - 40792.141",
        [(78, 102), (33, 45), (27, 45), (27, 45), (27, 45)],
        [
            "0 <= 85.334407 + 0.0056858*x2*x5 + 0.0006262*x1*x4 - 0.0022053*x3*x5 <= 92",
            "90 <= 80.51249 + 0.0071317*x2*x5 + 0.0029955*x1*x2 + 0.0021813*x3^2 <= 110",
            "20 <= 9.300961 + 0.0047026*x3*x5 + 0.0012547*x1*x3 + 0.0019085*x3*x4 <= 25",
        ],
        -30665.5386717834, CEC,
    ),
    Constrained(
        "G06",
        "(x1 - 10)^3 + (x2 - 20)^3",
        [(13, 100), (0, 100)],
        ["(x1 - 5)^2 + (x2 - 5)^2 >= 100", "(x1 - 6)^2 + (x2 - 5)^2 <= 82.81"],
        -6961.8138755802, CEC,
    ),
    Constrained(
        "G07",
        "x1^2 + x2^2 + x1*x2 - 14*x1 - 16*x2 + (x3 - 10)^2 + 4*(x4 - 5)^2 + (x5 - 3)^2 + 2*(x6 - 1)^2 + 5*x7^2"
        " + 7*(x8 - 11)^2 + 2*(x9 - 10)^2 + (x10 - 7)^2 + 45",
        [(-10, 10)] * 10,
        [
            "4*x1 + 5*x2 - 3*x7 + 9*x8 <= 105", "10*x1 - 8*x2 - 17*x7 + 2*x8 <= 0", "-8*x1 + 2*x2 + 5*x9 - 2*x10 <= 12",
            "3*(x1 - 2)^2 + 4*(x2 - 3)^2 + 2*x3^2 - 7*x4 <= 120", "5*x1^2 + 8*x2 + (x3 - 6)^2 - 2*x4 <= 40",
            "x1^2 + 2*(x2 - 2)^2 - 2*x1*x2 + 14*x5 - 6*x6 <= 0", "0.5*(x1 - 8)^2 + 2*(x2 - 4)^2 + 3*x5^2 - x6 <= 30",
            "-3*x1 + 6*x2 + 12*(x9 - 8)^2 - 7*x10 <= 0",
        ],
        24.3062090681, CEC,
    ),
    Constrained(
        "G08",
        "-(sin(2*pi*x1)^3*sin(2*pi*x2)/(x1^3*(x1 + x2)))",
        [(0, 10)] * 2,
        ["x1^2 - x2 + 1 <= 0", "1 - x1 + (x2 - 4)^2 <= 0"],
        -0.0958250415, CEC,
    ),
    Constrained(
        "G09",
        "(x1 - 10)^2 + 5*(x2 - 12)^2 + x3^4 + 3*(x4 - 11)^2 + 10*x5^6 + 7*x6^2 + x7^4 - 4*x6*x7 - 10*x6 - 8*x7",
        [(-10, 10)] * 7,
        [
            "2*x1^2 + 3*x2^4 + x3 + 4*x4^2 + 5*x5 <= 127", "7*x1 + 3*x2 + 10*x3^2 + x4 - x5 <= 282",
            "23*x1 + x2^2 + 6*x6^2 - 8*x7 <= 196", "4*x1^2 + x2^2 - 3*x1*x2 + 2*x3^2 + 5*x6 - 11*x7 <= 0",
        ],
        680.6300573745, CEC,
    ),
    Constrained(
        "G05",
        "3*x1 + 0.000001*x1^3 + 2*x2 + 0.000002/3*x2^3",
        [(0, 1200), (0, 1200), (-0.55, 0.55), (-0.55, 0.55)],
        [
            "-0.55 <= x4 - x3 <= 0.55", "1000*sin(-x3 - 0.25) + 1000*sin(-x4 - 0.25) + 894.8 - x1 == 0",
            "1000*sin(x3 - 0.25) + 1000*sin(x3 - x4 - 0.25) + 894.8 - x2 == 0",
            "1000*sin(x4 - 0.25) + 1000*sin(x4 - x3 - 0.25) + 1294.8 == 0",
        ],
        5126.4967140071, CEC, tolerance=1e-4,
    ),
    Constrained("G11", "x1^2 + (x2 - 1)^2", [(-1, 1)] * 2, ["x2 - x1^2 == 0"], 0.7499, CEC, tolerance=1e-4),
    Constrained(
        "G13",
        "exp(x1*x2*x3*x4*x5)",
        [(-2.3, 2.3)] * 2 + [(-3.2, 3.2)] * 3,
        ["x1^2 + x2^2 + x3^2 + x4^2 + x5^2 == 10", "x2*x3 - 5*x4*x5 == 0", "x1^3 + x2^3 + 1 == 0"],
        0.053941514, CEC, tolerance=1e-4,
    ),
    Constrained(
        "G24",
        "-x1 - x2",
        [(0, 3), (0, 4)],
        [
            "-2*x1^4 + 8*x1^3 - 8*x1^2 + x2 - 2 <= 0",
            "-4*x1^4 + 32*x1^3 - 88*x1^2 + 96*x1 + x2 - 36 <= 0",
        ],
        -5.5080132716, CEC,
    ),
    Constrained(
        "speed reducer",
        "0.7854*x1*x2^2*(3.3333*x3^2 + 14.9334*x3 - 43.0934) - 1.508*x1*(x6^2 + x7^2) + 7.4777*(x6^3 + x7^3)"
        " + 0.7854*(x4*x6^2 + x5*x7^2)",
        [(2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5, 5.5)],
        [
            "27 <= x1*x2^2*x3", "397.5 <= x1*x2^2*x3^2", "1.93*x4^3 <= x2*x3*x6^4", "1.93*x5^3 <= x2*x3*x7^4",
            "sqrt((745*x4/(x2*x3))^2 + 16.9e6) <= 110*x6^3", "sqrt((745*x5/(x2*x3))^2 + 157.5e6) <= 85*x7^3",
            "x2*x3 <= 40", "5*x2 <= x1", "x1 <= 12*x2", "1.5*x6 + 1.9 <= x4", "1.1*x7 + 1.9 <= x5",
        ],
        2994.471066, DEDS,
    ),
    Constrained(
        "spring",
        "(x3 + 2)*x2*x1^2",
        [(0.05, 2), (0.25, 1.3), (2, 15)],
        [
            "1 <= x2^3*x3/(71785*x1^4)", "(4*x2^2 - x1*x2)/(12566*(x2*x1^3 - x1^4)) + 1/(5108*x1^2) <= 1",
            "1 <= 140.45*x1/(x2^2*x3)", "x1 + x2 <= 1.5",
        ],
        0.012665232788, REAL,
    ),
    Constrained(
        "pressure vessel",
        "0.6224*x1*x3*x4 + 1.7781*x2*x3^2 + 3.1661*x1^2*x4 + 19.84*x1^2*x3",
        [(0.0625, 6.1875), (0.0625, 6.1875), (10, 200), (10, 200)],
        ["0.0193*x3 <= x1", "0.00954*x3 <= x2", "1296000 <= pi*x3^2*x4 + 4/3*pi*x3^3", "x4 <= 240"],
        5885.3327736, REAL,
    ),
    Constrained(
        "welded beam",
        "1.10471*x1^2*x2 + 0.04811*x3*x4*(14 + x2)",
        [(0.125, 2), (0.1, 10), (0.1, 10), (0.1, 2)],
        [
            f"sqrt(({_SHEAR})^2 + 2*({_SHEAR})*{_TORSION}*x2/(2*{_RADIUS}) + {_TORSION}^2) <= 13600",
            "504000/(x4*x3^2) <= 30000", "6*6000*14^3/(30e6*x4*x3^2) <= 0.25", "x1 <= x4",
            "6000 <= 4.013*30e6*sqrt(x3^2*x4^6/30)/196*(1 - x3/28*sqrt(30e6/(4*12e6)))",
        ],
        1.6702177263, REAL,
    ),
    Constrained(
        "three-bar truss",
        "100*(2*sqrt(2)*x1 + x2)",
        [(0, 1)] * 2,
        [
            "2*(sqrt(2)*x1 + x2)/(sqrt(2)*x1^2 + 2*x1*x2) <= 2", "2*x2/(sqrt(2)*x1^2 + 2*x1*x2) <= 2",
            "2/(sqrt(2)*x2 + x1) <= 2",
        ],
        263.89584338, REAL,
    ),
]  # fmt: skip

POINTS: dict[str, list[float]] = {
    "G01": [1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 1],
    "G04": [78.0, 33.0, 29.995256025681627, 45.0, 36.77581290578814],
    "G05": [679.9451478098737, 1026.066976520586, 0.11887636944180384, -0.39623348505028855],
    "G06": [14.095, 0.8429607892154796],
    "G07": [
        2.171996372152324, 2.363682970968506, 8.77392573700715, 5.0959844826965, 0.9906547495351956,
        1.4305739441928187, 1.321644210184171, 9.828725809677854, 8.280091669002724, 8.37592665486602,
    ],
    "G08": [1.2279713523320575, 4.245373366995372],
    "G09": [
        2.3304993796131255, 1.9513723728591608, -0.47754139780242605, 4.36572623433257, -0.6244869860526059,
        1.0381310075500403, 1.5942267153654213,
    ],
    "G11": [-0.7070360674975144, 0.5000000007423496],
    "G13": [-1.7171422427059913, 1.5957212435934058, -1.8272502356549543, -0.7636598799594367, 0.7636598687233772],
    "G24": [2.329520197477606, 3.1784930741176662],
    "speed reducer": [
        3.5, 0.7, 17.0, 7.300000000000001, 7.715319911478246, 3.350214666096448, 5.286654464980223,
    ],
    "spring": [0.051689061075736106, 0.3567177396303813, 11.288965761524777],
    "pressure vessel": [0.7781686413751054, 0.38464916262790216, 40.319618724098724, 199.99999999999994],
    "welded beam": [0.19883230722432896, 3.3373652986461, 9.192024322481052, 0.19883230722432896],
    "three-bar truss": [0.7886751345947972, 0.40824829046390737],
}  # fmt: skip
"""The lowest points found of each, by this command with `--points`."""
