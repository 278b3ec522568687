"""Statistics of a study's runs: targets reached, running times, curves over evaluations, and tests between solvers.

`gather` reads a study once and keeps a few numbers a run; everything else is computed from those.
"""
