"""`Note`: something worth knowing about a result, as data and as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Note"]


class Note(str):
    """A sentence with a code and the values that it was made of.

    Attributes
    ----------
    code
        What the note is about, for programs: ``weak-seed``.
    template, values
        What the sentence is made of.

    Examples
    --------
    >>> note = Note.of("rows-left", "{rows:,} rows are left.", rows=1200)
    >>> note, note.code, note.values
    ('1,200 rows are left.', 'rows-left', {'rows': 1200})
    """

    code: str
    template: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, code: str, template: str, **values: Any) -> Note:
        """A note from the parts of its sentence."""
        note = cls(template.format(**values))
        note.code, note.template, note.values = code, template, values
        return note
