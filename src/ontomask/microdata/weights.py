"""Sampling weights: how many persons of the population a record stands for.

A weight is nearly an identifier: calibrated weights are often unique. So a release has the mean weight of each group
of equal records instead, which keeps all weighted counts of released values. The weights themselves are released only
on request; they then count as a column that others may know.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.notes import Note
from ontomask.base.text import cell_text, read_number
from ontomask.errors import TableError
from ontomask.microdata import frames

__all__ = ["note_weights", "read_weights", "release_mean_weights"]

# Means are released with so many significant digits.
_DIGITS = 6


def read_weights(frame: Any, name: str) -> NDArray[np.float64]:
    """The weight of each record. Weights must be numbers above 0."""
    code, cells = frames.factorise(frame, name)
    texts = [cell_text(cell) for cell in cells]
    numbers = np.array([_number(text) for text in texts])
    wrong = np.flatnonzero(~((numbers > 0) & (numbers < np.inf)))
    if len(wrong):
        records = int(np.isin(code, wrong).sum())
        raise TableError(
            f"{records:,} records have no weight in {name!r}: a weight must be a number above 0. Correct these "
            f"records, or leave them out.",
            column=name,
            values=[texts[i] or "a missing cell" for i in wrong.tolist()],
            parameter="weights",
        )
    return numbers[code]


def _number(text: str | None) -> float:
    value = None if text is None else read_number(text)
    return np.nan if value is None else float(value)


def release_mean_weights(frame: Any, name: str, weights: NDArray[np.float64], groups: NDArray[np.integer]) -> Any:
    """The frame with the mean weight of its group in every record."""
    means = np.bincount(groups, weights=weights) / np.bincount(groups)
    _, cells = frames.factorise(frame, name)
    released: list[object] = [float(f"{mean:.{_DIGITS}g}") for mean in means.tolist()]
    if any(isinstance(cell, str) for cell in cells):
        released = [cell_text(cell) for cell in released]
    return frames.replace_column(frame, name, released, groups.astype(np.int32), keep_categories=False)


def note_weights(name: str | None, weights: NDArray[np.float64] | None, *, kept: bool) -> list[Note]:
    """Warnings about weights that identify records, and about weights that say nothing about a population."""
    notes: list[Note] = []
    if name is None or weights is None:
        return notes
    if kept:
        _, number, counts = np.unique(weights, return_inverse=True, return_counts=True)
        percent = 100 * float((counts[number.ravel()] == 1).mean())
        text = (
            "The weights in {column!r} are released as they are, and {percent:.3g} % of the records have one that no "
            "other record has. Whoever knows the weight of a person finds the record."
        )
        notes.append(Note.of("weights-kept", text, column=name, percent=percent))
    if weights.sum() <= len(weights):
        text = (
            "The weights in {column!r} add up to no more than the number of records, so they do not say how many "
            "persons a record stands for. The population risk is that of the table itself."
        )
        notes.append(Note.of("weights-too-small", text, column=name))
    return notes
