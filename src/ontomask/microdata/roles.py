"""Validate the roles and kinds of columns, and complete kinds with what they take from other columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ontomask.base.arrays import IntArray, Records
from ontomask.base.text import join_some
from ontomask.errors import TableError
from ontomask.kinds import KINDS, Kind, Policies
from ontomask.kinds.under import TableView
from ontomask.microdata import frames
from ontomask.microdata.persons import number_persons

if TYPE_CHECKING:
    from ontomask.microdata.table import Microdata

__all__ = ["check_kinds", "check_roles", "complete_kind"]


def check_roles(data: Microdata, columns: Sequence[str], quasi_identifiers: Mapping[str, Kind]) -> None:
    """Check that every column of a table has exactly one role."""
    if not quasi_identifiers:
        text = "There is no quasi-identifier. Name at least one column to be masked, with its kind."
        raise TableError(text, parameter="quasi_identifiers")
    named = [*quasi_identifiers, *data.identifiers, *data.confidential, *data.other, *data.drop, *data.linked]
    named += [data.weights] if data.weights is not None and data.averages_weights else []
    absent = [name for name in dict.fromkeys(named) if name not in columns]
    if absent:
        raise TableError(
            f"The table has no column {join_some(absent)}. It has {join_some(columns, 30)}.",
            column=absent[0],
            values=absent,
            code="no-column",
        )
    twice = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    if twice:
        raise TableError(
            f"These columns have more than one role: {join_some(twice)}. Keep one for each.",
            column=twice[0],
            values=twice,
            code="several-roles",
        )
    without = [name for name in columns if name not in named]
    if without:
        raise TableError(
            f"These columns have no role: {join_some(without, 30)}. Name each as a quasi-identifier (masked), in "
            f"'identifiers' (removed), 'confidential' (kept, protected by the masking), 'other' (kept) or 'drop' "
            f"(left out).",
            column=without[0],
            values=without,
            code="no-role",
        )


def check_kinds(kinds: Mapping[str, object]) -> None:
    """Check that every kind is one."""
    for name, kind in kinds.items():
        if not isinstance(kind, Kind):
            known = ", ".join(known.__name__ for known in KINDS.values())
            raise TableError(
                f"The column {name!r} needs one of these kinds: {known}. Got {type(kind).__name__} instead.",
                column=name,
            )


def complete_kind(
    kind: Kind,
    name: str,
    frame: Any,
    *,
    hidden: Collection[str],
    person: str | None,
    policies: Mapping[str, Policies],
    records: Records = None,
) -> Kind:
    """The kind of a column with what it takes from other columns, except those whose values must stay ``hidden``."""

    def factorise(other: str) -> tuple[IntArray, Sequence[object]]:
        allowed = [column for column in frames.columns(frame) if column not in hidden]
        if other not in allowed:
            others = [column for column in allowed if column != name]
            raise TableError(
                f"The groups of {name!r} cannot come from {other!r}: it is not in the table, is left out, or is an "
                f"identifier or confidential. Name one of these columns: {join_some(others, 30)}.",
                column=name,
                parameter="under",
            )
        code, cells = frames.factorise(frame, other)
        # A column without a kind has no policies: the tokens of this column hold for its groups.
        is_missing = policies.get(other, policies[name]).is_missing
        return code, [None if is_missing(cell) else cell for cell in cells]

    people = None if person is None else partial(number_persons, frame, person)
    return kind.completed(name, TableView(factorise, people, records))
