"""Consistent masking: values of a person that were equal in a column stay equal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.errors import Choice, MaskingError, Setting
from ontomask.masking.results import Planned
from ontomask.microdata import Microdata
from ontomask.microdata.joined import Outcomes, join_outcomes
from ontomask.microdata.masked import MaskedTable
from ontomask.microdata.strata_plan import StrataPlan

if TYPE_CHECKING:
    from ontomask.masking.base import Method

__all__ = ["CONSISTENT", "check_consistent", "make_consistent", "verify_consistent"]

CONSISTENT = "equal values of a person are released as equal values"
"""What is verified, as text."""


def check_consistent(method: Method, data: Microdata) -> None:
    """Refuse data without persons, and methods that cannot mask equal values of a person alike."""
    if data.persons is None:
        raise MaskingError(
            "Consistent masking needs to know persons. Name the column that identifies them in ",
            Setting("columns", "NAME", "person"),
            ".",
            parameter="consistent",
        )
    if not method.draws_cells and not method.recodes_values:
        raise MaskingError(
            f"{type(method).__name__} masks whole records, so equal values of a person may be released as different "
            f"ones. Leave out ",
            Setting("method", "consistent"),
            ", or use PRAM, UncorrelatedNoise with one noise level, or full-domain generalisation.",
            parameter="consistent",
        )


def make_consistent(data: Microdata, planned: Planned, rng: np.random.Generator) -> Planned:
    """The plan in which all records of a person with a value get what the first of them got.

    It is for methods that draw each cell by itself: the draw for one cell is as good as that for another.
    """
    assert not isinstance(planned.plan, StrataPlan)
    outcomes = Outcomes.of(planned.plan, data, np.arange(len(data)), rng)
    indices = outcomes.indices.copy()
    errors = dict(outcomes.errors)
    for j, name in enumerate(data.quasi_identifiers):
        number, firsts = _values_of_persons(data, j)
        indices[:, j] = indices[firsts[number], j]
        if name in errors:
            errors[name] = errors[name][firsts[number]]
    consistent = replace(outcomes, indices=indices, errors=errors)
    plan = join_outcomes(data, [consistent], promise=planned.plan.promise)
    # What was counted before is no longer true of the values that were replaced.
    details = {name: value for name, value in planned.details.items() if name != "unchanged"}
    return replace(planned, plan=plan, details=details)


def _values_of_persons(data: Microdata, j: int) -> tuple[IntArray, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """A number for the person and the value of each record in column j, and the first record of each number."""
    persons, table = data.persons, data.table
    assert persons is not None
    value = table.tuples[table.inverse, j]
    return group_rows([persons, value], [int(persons.max()) + 1, len(table.values[j])])


def verify_consistent(data: Microdata, masked: MaskedTable) -> None:
    """Raise an error if values of a person that were equal have different released texts."""
    for j, name in enumerate(data.quasi_identifiers):
        number = _values_of_persons(data, j)[0][masked.rows]
        text = masked.codes(name)
        _, pairs = group_rows([number, text], [int(number.max()) + 1, int(text.max()) + 1])
        several = int((np.bincount(number[pairs]) > 1).sum())
        if several:
            raise MaskingError(
                f"Masking is not consistent: for {several:,} values of persons in {name!r}, equal values became "
                f"different ones. Strata are masked by themselves, so a person must be in one of them. Leave out ",
                Choice(Setting("method", "by"), Setting("method", "consistent")),
                ".",
                column=name,
                parameter="consistent",
            )
