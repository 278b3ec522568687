"""The functions of one operand: all that the checker knows of one is its entry here."""

from __future__ import annotations

from cpcbench.certify.checker.core.facts import (
    ABOVE_0,
    AWAY,
    BACK,
    FROM_0,
    LINE,
    UNIT,
    Domain,
    Function,
    Reach,
    WholeNumbers,
    bent,
    number,
    rises_at_0,
)
from cpcbench.certify.checker.core.functions.growth import (
    arccosh,
    arccosh_beside,
    arcsinh_slope,
    arctanh,
    arctanh_beside,
    arctanh_slope,
    cbrt,
    cbrt_slope,
    cosh,
    cosh_inverse,
    cubed,
    erf,
    erf_slope,
    exp,
    exp_beside,
    exp_inverse,
    expm1,
    expm1_inverse,
    ln,
    ln_beside,
    log,
    log1p,
    log1p_beside,
    log1p_slope,
    log_inverse,
    log_slope,
    root_beside,
    sinh,
    sinh_inverse,
    sqrt,
    squared,
    tanh,
    tanh_inverse,
)
from cpcbench.certify.checker.core.functions.levels import (
    abs_slope,
    ceil,
    ceil_beside,
    floor,
    floor_beside,
    nearest,
    sign,
    sign_beside,
    step_slope,
)
from cpcbench.certify.checker.core.functions.waves import (
    HALF,
    WITHOUT_POLES,
    arccos,
    arccos_beside,
    arccos_inverse,
    arcsin,
    arcsin_beside,
    arcsin_inverse,
    arcsin_slope,
    arctan,
    arctan_beside,
    arctan_inverse,
    cos,
    cos_beside,
    sin,
    sin_beside,
    tan,
    tan_beside,
)
from cpcbench.certify.checker.core.intervals import (
    add,
    magnitude,
    mul,
    neg,
    not_negative,
    reciprocal,
    single,
    square,
    sub,
)
from cpcbench.expr.nodes import node, num, pi

FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(
        sqrt, FROM_0, lambda a, value: mul(single(HALF), reciprocal(not_negative(value))), squared,
        rises=True, continuous=True, beside=root_beside, ends=(None, AWAY),
    ),
    "ln": Function(
        ln, ABOVE_0, lambda a, value: reciprocal(not_negative(a)), exp,
        rises=True, continuous=True, beside=ln_beside, ends=(None, AWAY), derivative=lambda u, y: 1 / u,
    ),
    "exp": Function(
        exp, LINE, lambda a, value: value, exp_inverse,
        rises=True, continuous=True, beside=exp_beside, ends=(Reach(number(0), 1), AWAY),
        derivative=lambda u, y: y,
    ),
    "sin": Function(
        sin, LINE, lambda a, value: cos(a),
        continuous=True, beside=sin_beside, derivative=lambda u, y: node("cos", u),
    ),
    "cos": Function(
        cos, LINE, lambda a, value: neg(sin(a)),
        continuous=True, beside=cos_beside, derivative=lambda u, y: -node("sin", u),
    ),
    "tan": Function(
        tan, WITHOUT_POLES, lambda a, value: add(single(1), square(value)),
        rises=True, continuous=True, beside=tan_beside, derivative=lambda u, y: 1 + y * y,
    ),
    "arcsin": Function(
        arcsin, UNIT, arcsin_slope, arcsin_inverse,
        rises=True, continuous=True, beside=arcsin_beside, derivative=lambda u, y: 1 / node("sqrt", 1 - u * u),
    ),
    "arccos": Function(
        arccos, UNIT, lambda a, value: neg(arcsin_slope(a, value)), arccos_inverse,
        continuous=True, beside=arccos_beside, derivative=lambda u, y: -(1 / node("sqrt", 1 - u * u)),
    ),
    "arctan": Function(
        arctan, LINE, lambda a, value: reciprocal(add(single(1), square(a))), arctan_inverse,
        rises=True, continuous=True, beside=arctan_beside,
        ends=(Reach(number(0, -HALF), 1), Reach(number(0, HALF), -1)), derivative=lambda u, y: 1 / (1 + u * u),
    ),
    "sinh": Function(
        sinh, LINE, lambda a, value: cosh(a), sinh_inverse,
        rises=True, continuous=True, beside=rises_at_0, ends=(BACK, AWAY), derivative=lambda u, y: node("cosh", u),
    ),
    "cosh": Function(
        cosh, LINE, lambda a, value: sinh(a), cosh_inverse,
        continuous=True, beside=lambda x: bent(number(1), 1) if x == number(0) else None, ends=(AWAY, AWAY),
        derivative=lambda u, y: node("sinh", u),
    ),
    "tanh": Function(
        tanh, LINE, lambda a, value: not_negative(sub(single(1), square(value))), tanh_inverse,
        rises=True, continuous=True, beside=rises_at_0, ends=(Reach(number(-1), 1), Reach(number(1), -1)),
        derivative=lambda u, y: 1 - y * y,
    ),
    "arcsinh": Function(
        sinh_inverse, LINE, arcsinh_slope, sinh,
        rises=True, continuous=True, beside=rises_at_0, ends=(BACK, AWAY),
        derivative=lambda u, y: 1 / node("sqrt", 1 + u * u),
    ),
    "arccosh": Function(
        arccosh, Domain(1), lambda a, value: reciprocal(not_negative(sinh(value))),
        lambda value: cosh(not_negative(value)),
        rises=True, continuous=True, beside=arccosh_beside, ends=(None, AWAY),
        derivative=lambda u, y: 1 / node("sqrt", u * u - 1),
    ),
    "arctanh": Function(
        arctanh, Domain(-1, 1, closed=False), arctanh_slope, tanh,
        rises=True, continuous=True, beside=arctanh_beside, derivative=lambda u, y: 1 / (1 - u * u),
    ),
    "log10": Function(
        log(10), ABOVE_0, log_slope(10), log_inverse(10),
        rises=True, continuous=True, beside=ln_beside, ends=(None, AWAY),
        derivative=lambda u, y: 1 / (u * node("ln", num(10))),
    ),
    "log2": Function(
        log(2), ABOVE_0, log_slope(2), log_inverse(2),
        rises=True, continuous=True, beside=ln_beside, ends=(None, AWAY),
        derivative=lambda u, y: 1 / (u * node("ln", num(2))),
    ),
    "log1p": Function(
        log1p, Domain(-1, closed=False), log1p_slope, expm1,
        rises=True, continuous=True, beside=log1p_beside, ends=(None, AWAY), derivative=lambda u, y: 1 / (1 + u),
    ),
    "expm1": Function(
        expm1, LINE, lambda a, value: exp(a), expm1_inverse,
        rises=True, continuous=True, beside=rises_at_0, ends=(Reach(number(-1), 1), AWAY),
        derivative=lambda u, y: 1 + y,
    ),
    "cbrt": Function(
        cbrt, LINE, cbrt_slope, cubed,
        rises=True, continuous=True, beside=rises_at_0, ends=(BACK, AWAY), derivative=lambda u, y: 1 / (3 * y * y),
    ),
    "erf": Function(
        erf, LINE, erf_slope,
        rises=True, continuous=True, beside=rises_at_0, ends=(Reach(number(-1), 1), Reach(number(1), -1)),
        derivative=lambda u, y: 2 * node("exp", -(u * u)) / node("sqrt", pi),
    ),
    "abs": Function(
        magnitude, LINE, abs_slope, off_0=lambda u: node("sign", u),
        continuous=True, beside=lambda x: bent(x, 1) if x == number(0) else None, ends=(AWAY, AWAY),
    ),
    "floor": Function(floor, LINE, step_slope, beside=floor_beside, ends=(BACK, AWAY)),
    "sign": Function(
        sign, LINE, step_slope, beside=sign_beside, ends=(Reach(number(-1), 0), Reach(number(1), 0))
    ),
    "ceil": Function(ceil, LINE, step_slope, beside=ceil_beside, ends=(BACK, AWAY)),
    "whole": Function(lambda a: a, WholeNumbers(), lambda a, value: single(1), lambda value: value, continuous=True),
    "round": Function(nearest, LINE, step_slope, ends=(BACK, AWAY)),
}  # fmt: skip
