"""Labels such as ``20-24`` that describe a range: which of their values they exclude, and what would be true instead.

A label is a name. But everybody reads ``20-24`` as a range, so a 25 that is released as ``20-24`` is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache

from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.kinds.intervals import Bounds, read_bounds

__all__ = ["false_ranges", "with_true_ranges"]

# Codes such as 250.83 belong to blocks such as 240-250, though the number is larger. So only integers are compared.
_INTEGER = re.compile(r"-?\d+")
_TOP = "*"


def _is_outside(bounds: Bounds | None, number: Decimal) -> bool:
    if bounds is None:
        return False
    low, high = bounds.low, bounds.high
    below = low is not None and (number < low or (number == low and not bounds.low_inside))
    above = high is not None and (number > high or (number == high and not bounds.high_inside))
    return below or above


def false_ranges(values: Iterable[str], labels_above: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """The labels that describe a range which excludes some of their values. Only values that are integers count.

    >>> false_ranges(["25", "Spain"], {"25": ["20-24", "[20, 30[", "any"], "Spain": ["20-24"]}.get)
    ('20-24',)
    """
    bounds = cache(read_bounds)
    numbers = {value: Decimal(value) for value in values if _INTEGER.fullmatch(value)}
    found = (
        label
        for value, number in numbers.items()
        for label in labels_above(value)
        if label != value and _is_outside(bounds(label), number)
    )
    return tuple(dict.fromkeys(found))


def with_true_ranges(hierarchy: Hierarchy) -> Hierarchy:
    """A copy in which labels that exclude some of their values become the narrowest range of these.

    Only integers are compared. A label that also has other values, such as ``unknown`` or 25.5, becomes ``*``.

    ARX's own hierarchy of ages has such labels: there, 25 is below ``20-24``.

    >>> h = Hierarchy.from_rows([(24, "20-24", "*"), (25, "20-24", "*"), (26, "25-29", "*"), (27, "25-29", "*")])
    >>> with_true_ranges(h).rows[1], with_true_ranges(h).rows[2]
    (('25', '24-25', '*'), ('26', '25-29', '*'))
    """
    false = set(false_ranges(hierarchy.leaves, hierarchy.levels))
    below: dict[str, list[str]] = {label: [] for label in false}
    for leaf in hierarchy.leaves:
        for label in false.intersection(hierarchy.levels(leaf)):
            below[label].append(leaf)
    true = {label: _narrowest(leaves) for label, leaves in below.items()}
    return Hierarchy.from_rows(
        [[true.get(label, label) for label in row] for row in hierarchy.rows], name=hierarchy.name
    )


def _narrowest(values: list[str]) -> str:
    if not all(map(_INTEGER.fullmatch, values)):
        return _TOP
    numbers = [int(value) for value in values]
    return f"{min(numbers)}-{max(numbers)}"
