"""Budgets: how the ε of a record is divided among its columns, and that of a person among the person's records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite, nextafter
from numbers import Real
from typing import Any

from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.masking.description import Rule
from ontomask.masking.metric_privacy.weights import LARGEST_EPSILON

__all__ = ["EPSILON", "Epsilon", "budgets_by_column", "divided"]

Epsilon = float | Mapping[str, float] | Sequence[float]


def _is_epsilon(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value) and float(value) > 0


def _is_budget(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(name, str) and _is_epsilon(one) for name, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return bool(len(value)) and all(map(_is_epsilon, value))
    return _is_epsilon(value)


def _as_budget(value: Any) -> Epsilon:
    if isinstance(value, Mapping):
        return {name: float(one) for name, one in value.items()}
    return tuple(map(float, value)) if isinstance(value, Sequence) else float(value)


EPSILON = Rule("a number > 0, one for each column, or a list with one for each record", _is_budget, _as_budget)


def divided(epsilon: float, parts: int) -> float:
    """The largest number that, taken ``parts`` times, does not exceed ε."""
    part = epsilon / parts
    while Fraction(part) * parts > Fraction(epsilon):
        part = nextafter(part, 0.0)
    return part


def budgets_by_column(epsilon: float | Mapping[str, float], columns: Sequence[str], records: int) -> dict[str, float]:
    """The ε of each column of one record, if a person may have this many records."""
    if isinstance(epsilon, Mapping):
        if set(epsilon) != set(columns):
            raise MaskingError(
                f"The 'epsilon' must have a budget for each quasi-identifier and for no other column. Give budgets for "
                f"{join_some(columns)}.",
                parameter="epsilon",
                code="other-columns",
            )
        found = {name: divided(epsilon[name], records) for name in columns}
    else:
        found = dict.fromkeys(columns, divided(epsilon, len(columns) * records))
    large = [name for name, one in found.items() if one > LARGEST_EPSILON]
    if large:
        raise MaskingError(
            f"The ε of the column {large[0]!r} is above {LARGEST_EPSILON:g} and protects nobody. Choose a smaller ε.",
            column=large[0],
            parameter="epsilon",
        )
    return found
