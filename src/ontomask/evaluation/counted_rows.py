"""A masked table in an engine as intruders see it: distinct rows of the original with their outcomes and counts.

Intruders then need no single records: each row stands for as many as the engine has counted. Only where the kept
columns make too many different rows, a random sample of the records is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.base.keyed_hash import draw_secret
from ontomask.base.progress import progress
from ontomask.engines.base import SUPPRESSED, Sample
from ontomask.masking.in_engine import find_rows
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData, MaskedTuples
from ontomask.microdata.views import with_records

__all__ = ["CountedRows", "count_rows"]

# Most distinct rows that are held, and the size of the sample if there are more.
_MOST, _SAMPLED = 1_000_000, 200_000


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Distinct rows with their outcomes.

    Attributes
    ----------
    data
        The original: each row stands for some equal records that have the same outcome.
    masked
        What was released of it.
    is_sample
        Whether these are a sample of the records.
    keys
        For each row a number: equal for rows with the same tuple and outcome.
    """

    data: Microdata
    masked: MaskedData
    is_sample: bool
    keys: NDArray[np.int64]

    @classmethod
    def of(cls, masked: MaskedTuples) -> CountedRows:
        """The rows that the method looked at, without columns that are only kept."""
        data = masked.counted
        assert data is not None
        assert masked.outcomes is not None
        return _collect(data, masked, masked.rows, masked.outcomes, masked.records)

    def find(self, others: CountedRows) -> NDArray[np.int64]:
        """For each row of others a row with the same tuple and outcome."""
        order = np.argsort(self.keys, kind="stable")
        found: NDArray[np.int64] = order[np.searchsorted(self.keys[order], others.keys)]
        return found


@progress("Counting the kept columns")
def count_rows(base: CountedRows, masked: MaskedTuples, seed: int) -> CountedRows:
    """The rows told apart by all columns that are kept.

    Parameters
    ----------
    base
        The rows that the method looked at.
    masked
        The masked table in its engine.
    seed
        For the sample, if there are too many rows.
    """
    import polars as pl

    data = masked.counted
    assert data is not None
    kept = [name for name in (*data.other, *data.confidential) if name not in data.frame.columns]
    if not kept:
        return base
    names, sample = [*data.frame.columns, *kept], None
    if len(masked) > _MOST and masked.frame.number_of_pairs(names) > _MOST:
        rng = np.random.default_rng(np.random.SeedSequence([seed, len(masked)]))
        sample = Sample(draw_secret(rng), _SAMPLED / len(masked))
    found, outcomes, records = masked.frame.joint(names, sample)
    rows = find_rows(data, found)
    made = _collect(data, masked, rows, outcomes, records, sample, seed)
    added = found.select(kept)
    suppressed = len(made.data.frame) - len(rows)
    made.data.frame = made.data.frame.hstack(pl.concat([added, added.clear(suppressed)]))
    visible = [*made.masked.frame.columns, *kept]
    return replace(made, masked=replace(made.masked, frame=made.data.frame[: len(rows)].select(visible)))


def _collect(
    data: Microdata,
    masked: MaskedTuples,
    rows: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    records: NDArray[np.int64],
    sample: Sample | None = None,
    seed: int = 0,
) -> CountedRows:
    """Released rows, given their rows of the data, outcomes and counts, and after these the suppressed ones."""
    left = _suppressed(data, masked)
    if sample is not None:
        left = np.random.default_rng([seed, 1]).binomial(left, sample.share)
    absent = np.flatnonzero(left)
    original = with_records(data, np.concatenate([rows, absent]), np.concatenate([records, left[absent]]))
    columns = {
        name: replace(column, code=column.code[outcomes], records=records) for name, column in masked.of_outcome.items()
    }
    shown = [name for name in (*data.other, *data.confidential) if name in data.frame.columns]
    released = original.frame[: len(rows)].select(shown)
    made = MaskedData(released, columns, np.arange(len(rows)), len(original), records=records)
    outcome = np.concatenate([outcomes, np.full(len(absent), SUPPRESSED)])
    assert masked.outcomes is not None
    size = int(masked.outcomes.max(initial=0)) + 2
    kind = _kinds(data)[np.concatenate([rows, absent])].astype(np.int64)
    return CountedRows(original, made, sample is not None, kind * size + outcome + 1)


def _suppressed(data: Microdata, masked: MaskedTuples) -> NDArray[np.int64]:
    """How many records of each distinct row were not released."""
    assert data.row_records is not None
    released = np.bincount(masked.rows, weights=masked.records, minlength=len(data.row_records)).astype(np.int64)
    left = data.row_records - released
    if len(left) and left.min() < 0:
        # The first row of its kind stands for all of them.
        kind = _kinds(data)
        number, firsts = group_rows([kind], [int(kind.max()) + 1])
        of_kind = np.bincount(number, weights=left).astype(np.int64)
        left = np.zeros(len(left), dtype=np.int64)
        left[firsts] = of_kind
    return left


def _kinds(data: Microdata) -> IntArray:
    """A number for each distinct row: equal for rows with the same tuple and equal cells in all other columns."""
    others = [name for name in data.frame.columns if name not in data.quasi_identifiers]
    codes = [data.table.inverse, *([data.strata(others)] if others else [])]
    return group_rows(codes, [int(code.max()) + 1 for code in codes])[0]
