"""Motions that change nothing, and how many optima follow from one."""
