"""Notes as data: a code, a template and the values to fill in.

A note may mention values of a table. They are held as `Cells`, which knows their column. The text shows none of them
until `Note.redacted` has checked which may be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ontomask.base.text import join_some
from ontomask.errors import Choice, Setting, Spelling

__all__ = ["WITHHELD", "Cells", "MayName", "Note", "join_names"]

WITHHELD = "(withheld)"
"""Replaces a value that must not be shown."""

MayName = Callable[[str, str], bool]
"""Whether a value may be shown: called with the column and the value."""

# Column names listed in a sentence at most, and those that are listed if there are more.
_MOST_LISTED = 8
_FIRST = 4


def join_names(columns: Iterable[str]) -> str:
    """Column names joined for a sentence. A sentence with many of them is hard to read, so only the first are listed.

    >>> join_names(["age", "job"])
    'age, job'
    >>> join_names("abcdefghi")
    'a, b, c, d and 5 more columns'
    """
    names = list(columns)
    if len(names) <= _MOST_LISTED:
        return ", ".join(names)
    return f"{', '.join(names[:_FIRST])} and {len(names) - _FIRST:,} more columns"


class Cells:
    """Values of one column of a table, or names of the concepts they were mapped to.

    Parameters
    ----------
    column
        The column.
    values
        The values as text.
    withheld
        How many values were removed because they must not be shown. ``None``: the values are not checked yet, and none
        is shown.
    most
        Show at most this many values.
    """

    __slots__ = ("column", "most", "values", "withheld")

    def __init__(self, column: str, values: Iterable[str], *, withheld: int | None = None, most: int = 5) -> None:
        self.column = column
        self.values = tuple(values)
        self.withheld = withheld
        self.most = most

    def redacted(self, may_name: MayName) -> Cells:
        """A copy without the values that must not be shown."""
        named = [value for value in self.values if may_name(self.column, value)]
        withheld = len(self.values) - len(named) + (self.withheld or 0)
        return Cells(self.column, named, withheld=withheld, most=self.most)

    def __str__(self) -> str:
        hidden = len(self.values) if self.withheld is None else self.withheld
        shown = "" if self.withheld is None else join_some(self.values, self.most)
        withheld = "" if not hidden else WITHHELD if hidden == 1 else f"({hidden:,} withheld)"
        return " and ".join(filter(None, (shown, withheld)))

    def __repr__(self) -> str:
        # Tracebacks and logs must not show values of the table.
        return f"<Cells of {self.column!r}: {len(self.values):,} values>"


class Note(str):
    """A sentence that keeps its code, template and values. It is a `str`, so it works wherever text is expected.

    Attributes
    ----------
    code
        What the note is about, in kebab-case: ``records-dropped``.
    template
        The sentence, with fields for `str.format`.
    values
        The values of the fields. Values of the table are `Cells`. Column names, counts and method names are plain.

    Examples
    --------
    >>> note = Note.of("root-released", "Cells of {column!r} became {root}.", column="job", root=Cells("job", ["spy"]))
    >>> note
    "Cells of 'job' became (withheld)."
    >>> note.redacted(lambda column, value: value == "spy")
    "Cells of 'job' became 'spy'."
    >>> note.code, note.values["column"]
    ('root-released', 'job')
    """

    code: str
    template: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, code: str, template: str, /, **values: Any) -> Note:
        """Make a note. Its text shows no `Cells` that have not been checked."""
        note = cls(template.format(**values))
        note.code, note.template, note.values = code, template, MappingProxyType(values)
        return note

    def redacted(self, may_name: MayName) -> Note:
        """A copy without the values that must not be shown, both in its fields and in its text."""
        checked = {
            name: value.redacted(may_name) if isinstance(value, (Cells, Note)) else value
            for name, value in self.values.items()
        }
        return Note.of(self.code, self.template, **checked)

    def worded(self, spell: Spelling) -> Note:
        """The same note, with each setting written by ``spell``."""
        spelled = {
            name: value.worded(spell) if isinstance(value, (Setting, Choice, Note)) else value
            for name, value in self.values.items()
        }
        return Note.of(self.code, self.template, **spelled)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Note.of, self.code, self.template, **self.values), ()
