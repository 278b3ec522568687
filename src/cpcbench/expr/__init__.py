"""The language of formulas: nodes, the words to write them with, the parser and the printer, the one walker."""

from cpcbench.expr.functions import *  # noqa: F403 (a function of the language is named in one place)
from cpcbench.expr.nodes import Expr as Expr
from cpcbench.expr.nodes import num as num
from cpcbench.expr.nodes import pi as pi
from cpcbench.expr.nodes import var as var
