"""Policies: what to do with missing cells and with values that a column cannot hold, for each column."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError

__all__ = ["OWN_VALUES", "POLICIES", "RARE_KEPT", "Policies", "check_choice", "policies_by_column"]

POLICIES = ("error", "keep", "drop", "root", "category")
"""What can be done with a missing cell, or with a value that the column cannot hold."""

OWN_VALUES = ("missing", "unmapped")
"""What values of their own can stand for."""

RARE_KEPT = ("error", "drop", "root")
"""What can be done with kept cells that fewer than k records share."""


def check_choice(name: str, value: object, allowed: Collection[str]) -> None:
    """Raise an error unless a policy has one of the allowed values."""
    if not isinstance(value, str) or value not in allowed:
        text = f"The {name!r} policy must be one of {', '.join(allowed)}. Got {value!r} instead."
        raise TableError(text, parameter=name)


@dataclass(frozen=True)
class Policies:
    """The policies of one column.

    Attributes
    ----------
    missing
        For missing cells: ``error``; ``keep`` them as they are; ``drop`` the record; release the ``root``, which says
        nothing; or make them a ``category``, a value of its own that is masked like any other.
    missing_tokens
        Texts that mean a missing cell.
    unmapped
        The same for values that the column cannot hold: without a concept, not a number, not among the categories.
    """

    missing: str = "error"
    missing_tokens: tuple[str, ...] = ()
    unmapped: str = "error"

    def __post_init__(self) -> None:
        for name in ("missing", "unmapped"):
            check_choice(name, getattr(self, name), POLICIES)

    def is_missing(self, cell: object) -> bool:
        """Whether a cell is empty or one of the tokens for a missing cell."""
        text = cell_text(cell)
        return text is None or text in self.missing_tokens

    @property
    def while_encoding(self) -> Policies:
        """The same policies, with ``keep`` for what gets its point only when the column is encoded."""
        missing = "keep" if self.missing in ("root", "category") else self.missing
        return replace(self, missing=missing, unmapped="keep" if self.unmapped == "category" else self.unmapped)


def policies_by_column(columns: Iterable[str], **given: object) -> dict[str, Policies]:
    """The policies of each column.

    ``given`` are the fields of `Policies`: a value for all columns, or a dictionary by column. In a dictionary the key
    ``None`` is for all columns that it does not name; without it, they have the default.

    >>> found = policies_by_column(["age", "job"], missing={"job": "root", None: "drop"}, missing_tokens=["?"])
    >>> found["age"].missing, found["job"].missing, found["job"].missing_tokens
    ('drop', 'root', ('?',))
    """
    names = list(columns)
    by_column: dict[str, dict[str, Any]] = {name: {} for name in names}
    for field, value in given.items():
        values = value if isinstance(value, Mapping) else {None: value}
        unknown = [name for name in values if name is not None and name not in by_column]
        if unknown:
            raise TableError(
                f"{field!r} has policies for columns without a kind: {join_some(map(str, unknown))}. Policies are for "
                f"columns that are masked or measured: {join_some(names, 30)}.",
                column=str(unknown[0]),
                parameter=field,
            )
        for name in names:
            if name in values or None in values:
                one = values.get(name, values.get(None))
                by_column[name][field] = _tokens(one) if field == "missing_tokens" else one
    return {name: Policies(**fields) for name, fields in by_column.items()}


def _tokens(given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Collection):
        hint = f" Write [{given!r}]." if isinstance(given, str) else ""
        text = f"'missing_tokens' must be a list. Got {given!r} instead.{hint}"
        raise TableError(text, parameter="missing_tokens")
    return tuple(cell_text(token) or "" for token in given)
