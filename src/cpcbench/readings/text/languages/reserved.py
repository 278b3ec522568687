"""Words, in lower case, that already mean something in a language and cannot name a variable there."""

from __future__ import annotations

_AMPL = """
    and binary by check complements contains default diff difference dimen div else environ exists forall if in
    infinity integer inter intersect less let maximize minimize mod not option or ordered param prod product set
    setof solve subject sum suffix symbolic symdiff table then to union until var while within abs acos acosh asin
    asinh atan atan2 atanh ceil cos cosh exp floor log log10 max min precision round sin sinh sqrt tan tanh trunc
    irand224 uniform normal beta gamma poisson cauchy
"""
_C = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main x nan
    infinity acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor
    fma fmax fmin fmod fpclassify frexp gamma hypot ilogb isfinite isgreater isinf isless isnan isnormal isunordered j0
    j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nearbyint nextafter nexttoward pow
    remainder remquo rint round scalbln scalbn signbit sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
_GAMS = """
    abort acronym acronyms alias all and binary break card continue display do else elseif eps eq equation
    equations file files for free function functions ge gt if inf integer le loop lt maximizing minimizing model
    models na ne negative nonnegative no not option options or ord parameter parameters positive prod putclear
    putpage puttl repeat sameas scalar scalars semicont semiint set sets singleton smax smin solve sos1 sos2 sum
    system table tables then undf until using variable variables while xor yes abs arccos arcsin arctan arctan2 ceil cos
    cosh errorf exp floor ifthen log log10 log2 max min mod normal pi power round rpower sign sin sinh sqr sqrt tan tanh
    trunc uniform
"""
_LINGO = "model end min max data enddata sets endsets init endinit calc endcalc submodel endsubmodel title"
_MATLAB = """
    break case catch classdef continue else elseif end for function global if otherwise parfor persistent return
    spmd switch try while sqrt log exp sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh log10 log2 log1p
    expm1 erf nthroot abs floor ceil round fix sign pi nan isreal isfinite error numel x y v w
    min max hypot atan2 mod checked_ choose_ nthroot_ even_ mod_
"""
_PYTHON = """
    false none true and as assert async await break class continue def del elif else except finally for from
    global if import in is lambda nonlocal not or pass raise return try while with yield math float len all map
    x v lower upper abs min max round valueerror zerodivisionerror overflowerror
"""

AMPL, C, GAMS, LINGO, MATLAB, PYTHON = (
    frozenset(words.split()) for words in (_AMPL, _C, _GAMS, _LINGO, _MATLAB, _PYTHON)
)
