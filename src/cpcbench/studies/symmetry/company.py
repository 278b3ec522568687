"""Which variables might be exchanged, by the company they keep: a cheap test before each proof."""

from __future__ import annotations

from collections import defaultdict

from cpcbench.studies.structure.forms import Forms


class Company:
    """Powers and products in which each variable occurs, anywhere in a canonical form.

    An exchange that leaves the form as it is maps its products onto themselves, so variables may be
    exchanged only if their products are the same but for the two. In a chain, x1 x2 + x2 x3 + ...,
    that rules out all pairs at once, where each proof would work through the whole formula.
    """

    def __init__(self, forms: Forms, number: int) -> None:
        self._colours: dict[int, set[tuple[int, int]]] = defaultdict(set)
        self._products: dict[int, set[int]] = defaultdict(set)
        seen, stack = {number}, [number]
        while stack:
            for monomial in forms.body(stack.pop()):
                together = forms.monomial_variables(monomial)
                for atom, power in monomial:
                    op, *arguments = forms.key(atom)
                    numbers = [a for a in arguments if isinstance(a, int)]
                    if op == "var":
                        self._colours[numbers[0]].add((power, len(monomial)))
                        self._products[numbers[0]].add(together)
                        continue
                    stack += [a for a in numbers if a not in seen]
                    seen.update(numbers)

    def may_swap(self, i: int, j: int) -> bool:
        """False only if the exchange of the two variables cannot leave the form as it is."""
        if self._colours[i] != self._colours[j]:
            return False
        both = 1 << i | 1 << j
        moved = {together if together & both == both else together ^ both for together in self._products[i]}
        return moved == self._products[j]
