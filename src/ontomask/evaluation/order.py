"""Check whether the rows of two tables belong together when no kept column can show it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ontomask.base.notes import Note
from ontomask.errors import Choice, Setting
from ontomask.evaluation.pairing import Pairing

__all__ = ["note_unrelated_rows"]

_LEAST, _SAMPLE = 100, 2_000


def note_unrelated_rows(pairing: Pairing) -> tuple[Note, ...]:
    """A note if masked records are not nearer to their originals than to other records: the rows may be shuffled.

    This is measured on a sample: the mean difference between both distances is below two standard errors. Fewer than
    100 records, or records that are all equal, give no note.
    """
    pair = pairing.by_record.pair
    records = len(pair)
    if records < _LEAST:
        return ()
    sample = np.random.default_rng(0).choice(records, min(records, _SAMPLE), replace=False)
    a, b = pairing.a[pair[sample]], pairing.b[pair[sample]]
    own, other = (replace(pairing, a=a, b=masked).distances() for masked in (b, np.roll(b, 1)))
    nearer = other - own
    if not nearer.any() or nearer.mean() > 2 * nearer.std() / np.sqrt(len(nearer)):
        return ()
    return (
        Note.of(
            "rows-unrelated",
            "The masked records are not nearer to their originals than to other records. Unless the masking was very "
            "strong, the rows are in another order: give {identify}.",
            identify=Choice(Setting("key"), Setting("rows")),
        ),
    )
