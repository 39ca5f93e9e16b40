"""What intruders know of a masked table in an engine: the rows that the engine counts, and linkage by known columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ontomask.evaluation.attacks.columns import KnownColumns, ReleasedColumns, know_columns
from ontomask.evaluation.counted_rows import CountedRows, count_rows
from ontomask.evaluation.linkage import Linkage, link
from ontomask.evaluation.pairing import Pairing
from ontomask.masking.whole_rows import count_columns
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData, MaskedTuples

__all__ = ["KnownRows"]


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
    """

    rows: CountedRows
    sample: CountedRows | None
    pairing: Pairing
    linkage: Linkage
    known: tuple[KnownColumns, KnownColumns]

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
            return cls(rows, None, pairing, linkage, known)
        pairing, part = pair(base.data, base.masked), pair(rows.data, rows.masked)
        linkage = link(pairing)
        columns = ReleasedColumns(rows.data, rows.masked)
        by_masked, by_all = know_columns(
            part, columns, link(part), shares=shares, count=partial(count_columns, base.data, masked)
        )
        by_masked = replace(by_masked, linked=linkage.srl, record_risk=linkage.risk["srl"])
        return cls(base, rows, pairing, linkage, (by_masked, by_all))

    @property
    def columns(self) -> ReleasedColumns:
        """The columns that were released unmasked."""
        return ReleasedColumns(self.rows.data, self.rows.masked)
