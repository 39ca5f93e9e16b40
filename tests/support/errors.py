"""Expect errors by class and fields."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ontomask.errors import OntomaskError

__all__ = ["note_codes", "raises"]


@contextmanager
def raises(kind: type[OntomaskError], **fields: object) -> Iterator[pytest.ExceptionInfo[OntomaskError]]:
    """Expect an error of a class with these fields, such as ``column="age"`` or ``code="no-file"``.

    ``settings`` is a dictionary from the settings that the message names to the values that it suggests.
    """
    with pytest.raises(kind) as caught:
        yield caught
    found = {name: getattr(caught.value, name) for name in fields}
    if "settings" in found:
        found["settings"] = {setting.name: setting.values for setting in caught.value.settings}
    assert found == fields


def note_codes(notes: object) -> list[str]:
    """The codes of notes; plain text has none."""
    return [note.code for note in notes if hasattr(note, "code")]
