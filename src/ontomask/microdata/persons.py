"""Persons with several records: their numbers, and the pseudonyms that a release has instead of their identifiers."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import number_texts
from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.errors import Setting, TableError, given
from ontomask.microdata import frames

__all__ = ["check_pseudonyms", "draw_pseudonyms", "note_similar_persons", "number_persons"]

# Consonants make no words, and no text that a spreadsheet reads as a number.
_LETTERS = np.frombuffer(b"bcdfghjklmnpqrstvwxz", dtype=np.uint8)
_LENGTH = 14


def number_persons(frame: Any, name: str) -> IntArray:
    """A number for the person of each record. Surrounding spaces are ignored, since k would count too many persons."""
    if frames.has_plain_cells(frame, name):
        return frames.number_cells(frame, name)[0]
    code, cells = frames.factorise(frame, name)
    return number_texts(cells)[0][code]


def note_similar_persons(frame: Any, name: str | None) -> list[Note]:
    """A warning about identifiers that look the same: k counts them as different persons."""
    if name is None or frames.has_plain_cells(frame, name):
        return []
    texts = {text for cell in frames.factorise(frame, name)[1] if (text := cell_text(cell)) is not None}
    similar = len(texts) - len(set(map(_visible_form, texts)))
    if not similar:
        return []
    text = (
        "{number:,} identifiers in {column!r} look like another one: they differ in blanks, invisible characters or "
        "the width of letters. k counts them as different persons, so it may be too large. Correct them."
    )
    return [Note.of("persons-similar", text, number=similar, column=name)]


def _visible_form(text: str) -> str:
    """A text without blanks and invisible characters, with letters and digits of the usual width."""
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    plain = unicodedata.normalize("NFKC", text)
    return "".join(c for c in plain if not c.isspace() and unicodedata.category(c)[0] != "C")


def check_pseudonyms(frame: Any, person: str | None, pseudonyms: object) -> bool:
    """Validate the option: persons must be known for every record."""
    if not isinstance(pseudonyms, bool):
        raise TableError(
            "'pseudonyms' must be True or False. Got ", given(pseudonyms), " instead.", parameter="pseudonyms"
        )
    if not pseudonyms:
        return False
    if person is None:
        raise TableError(
            "Pseudonyms stand for persons. Name the column that identifies them in ",
            Setting("columns", "NAME", "person"),
            ".",
            parameter="pseudonyms",
        )
    code, cells = frames.factorise(frame, person)
    without = int(np.isin(code, [i for i, cell in enumerate(cells) if cell_text(cell) is None]).sum())
    if without:
        raise TableError(
            f"{without:,} records have no person in {person!r}, so they cannot get a pseudonym. Give each of them a "
            f"number of its own, or leave them out.",
            column=person,
            parameter="pseudonyms",
        )
    return True


def draw_pseudonyms(number: int, rng: np.random.Generator) -> list[str]:
    """Distinct random texts of equal length. They depend on nothing but the random numbers.

    >>> first, second = draw_pseudonyms(2, np.random.default_rng(0))
    >>> len(first), len(second), first != second
    (14, 14, True)
    """
    found: dict[str, None] = {}
    while len(found) < number:
        letters = _LETTERS[rng.integers(0, len(_LETTERS), size=(number - len(found), _LENGTH))]
        texts = np.ascontiguousarray(letters).view(f"S{_LENGTH}").ravel().astype(str).tolist()
        found |= dict.fromkeys(texts)
    return list(found)
