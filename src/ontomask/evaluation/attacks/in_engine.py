"""What intruders know of a masked table in an engine: the rows that the engine counts, and linkage by known columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.attacks.columns import KnownColumns, ReleasedColumns, know_columns
from ontomask.evaluation.counted_rows import CountedRows, count_rows
from ontomask.evaluation.linkage import Linkage, link
from ontomask.evaluation.pairing import Pairing, RecordPairs
from ontomask.masking.whole_rows import count_columns
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData, MaskedTuples

__all__ = ["KnownRows"]

# Most records that are listed one by one.
_MINED = 100_000


@dataclass(frozen=True, eq=False)
class KnownRows:
    """A masked table in an engine as intruders know it.

    Attributes
    ----------
    rows
        Distinct rows of all records. They are told apart by the kept columns, unless these make too many.
    sample
        A random sample of the records told apart by the kept columns, if these make too many rows.
    pairing, linkage
        The pairs of all records, and linkage by the quasi-identifiers.
    known
        What intruders find who know the quasi-identifiers, and all columns that are not confidential.
    pairs
        The pairs of the rows told apart by the kept columns.
    """

    rows: CountedRows
    sample: CountedRows | None
    pairing: Pairing
    linkage: Linkage
    known: tuple[KnownColumns, KnownColumns]
    pairs: Pairing

    @classmethod
    def of(
        cls,
        masked: MaskedTuples,
        pair: Callable[[Microdata, MaskedData], Pairing] = Pairing.of,
        *,
        shares: bool = True,
        seed: int = 0,
    ) -> KnownRows:
        """Count the rows, and link them by known columns.

        Parameters
        ----------
        masked
            The masked table in its engine.
        pair
            How both tables are paired: the distances that evaluate.
        shares
            Whether the contribution of each kept column is measured as well.
        seed
            For the sample, if there is one.
        """
        base = CountedRows.of(masked)
        rows = count_rows(base, masked, seed)
        if not rows.is_sample:
            pairing = pair(rows.data, rows.masked)
            linkage = link(pairing)
            known = know_columns(pairing, ReleasedColumns(rows.data, rows.masked), linkage, shares=shares)
            return cls(rows, None, pairing, linkage, known, pairing)
        pairing, part = pair(base.data, base.masked), pair(rows.data, rows.masked)
        linkage = link(pairing)
        columns = ReleasedColumns(rows.data, rows.masked)
        by_masked, by_all = know_columns(
            part, columns, link(part), shares=shares, count=partial(count_columns, base.data, masked)
        )
        by_masked = replace(by_masked, linked=linkage.srl, record_risk=linkage.risk["srl"])
        if not columns.names:
            by_all = replace(by_masked, record_risk=by_masked.risk[base.find(rows)])
        return cls(base, rows, pairing, linkage, (by_masked, by_all), part)

    @property
    def counted(self) -> CountedRows:
        """The rows told apart by the kept columns."""
        return self.rows if self.sample is None else self.sample

    @property
    def sampled(self) -> NDArray[np.int64] | None:
        """For each row of the sample one of all rows with the same tuple and outcome; ``None`` without a sample."""
        return None if self.sample is None else self.rows.find(self.sample)

    def single_records(self, seed: int | None) -> Pairing:
        """The pairs with an entry for each released record, or for each of a random sample, for data mining."""
        known = self.pairs.by_record
        counts = known.released
        assert counts is not None
        if int(counts.sum()) > _MINED:
            rng = np.random.default_rng(seed)
            counts = rng.multivariate_hypergeometric(counts, _MINED, method="marginals")
        at = np.repeat(np.arange(len(counts)), counts)
        return replace(self.pairs, record_pairs=RecordPairs(known.pair[at], known.rows[at], known.tuples))
