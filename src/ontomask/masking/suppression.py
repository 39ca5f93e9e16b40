"""Suppression: records, or single cells, that would be told apart are not released (T 9.2)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

import numpy as np

from ontomask.base.notes import Cells, Note
from ontomask.errors import MaskingError
from ontomask.masking.base import Planned
from ontomask.masking.generalisation_paths import Ways
from ontomask.masking.local_generalisation import BestFirst, Climb
from ontomask.masking.parameters import nominal_only, one_of, share
from ontomask.masking.sizes import allowed, group_sizes, share_for
from ontomask.microdata import Microdata, TuplePlan
from ontomask.microdata.plan import SUPPRESSED

__all__ = ["Suppression"]


@dataclass(frozen=True, repr=False)
class Suppression(BestFirst):
    """Leave out what fewer than k records share: the records, or some of their cells.

    Parameters
    ----------
    k
        The least number of records (of persons, where the data tell them apart) that share a released tuple.
    mode
        ``records``: every record whose combination fewer than k share is left out (T 9.2.2); the result remembers which
        rows remain. ``cells``: single cells are released as the root of their domain, which says nothing about them;
        the rarest group of records is joined with the group for which the fewest cells have to go, until all have k
        records. Equal records are treated alike. Nominal columns only: numbers and ordered categories have no such
        value.
    limit
        The share of the records, or of the quasi-identifiers' cells, that may go; more is an error.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> edges = [("ache", "pain"), ("colic", "pain"), ("rash", "symptom"), ("pain", "symptom")]
    >>> kind = om.Nominal(om.Taxonomy.from_edges(edges), domain="symptom")
    >>> frame = pd.DataFrame({"now": ["ache", "ache", "rash"], "then": ["rash", "rash", "rash"]})
    >>> data = om.Microdata(frame, {"now": kind, "then": kind})
    >>> result = Suppression(k=2).mask(data)
    >>> len(result.frame), result.data.rows.tolist()
    (2, [0, 1])
    >>> Suppression(k=3, mode="cells").mask(data).frame.to_dict("list")
    {'now': ['symptom', 'symptom', 'symptom'], 'then': ['rash', 'rash', 'rash']}
    """

    _: KW_ONLY
    mode: Literal["records", "cells"] = "records"
    limit: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "mode", self.mode, ("records", "cells"))
        share(self, "limit", self.limit)

    def check(self, data: Microdata) -> None:
        """Refuse cells to suppress that have no value for "any"."""
        super().check(data)
        if self.mode == "cells":
            nominal_only(
                self, data, "numbers and ordered categories have no value that says nothing. Use mode='records'"
            )

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        return self._without_records(data) if self.mode == "records" else self._without_cells(data, rng)

    def _without_records(self, data: Microdata) -> Planned:
        table = data.table
        is_short = group_sizes(data, np.arange(len(table)), len(table)) < self.k
        left_out = int(table.counts[is_short].sum())
        self._check_limit(left_out, len(data), "records")
        outcome = np.where(is_short, SUPPRESSED, np.cumsum(~is_short) - 1)
        promise = {"k": self.k, "unit": "records" if data.persons is None else "persons"}
        plan = TuplePlan.of(table, outcome=outcome, outcome_tuples=table.tuples[~is_short], promise=promise)
        return Planned(plan, details={"groups": int((~is_short).sum()), "suppressed": left_out})

    def _without_cells(self, data: Microdata, rng: np.random.Generator) -> Planned:
        ways = {name: Ways.to_the_root(data.table, j) for j, name in enumerate(data.quasi_identifiers)}
        planned = self._merged(data, rng, Climb(ways, "records"))
        assert isinstance(planned.plan, TuplePlan)
        cells = _changed_cells(planned.plan)
        self._check_limit(sum(cells.values()), len(data) * len(ways), "cells")
        text = "suppressed cells of {column!r} are released as {root}, the root of its domain."
        notes = [
            Note.of("root-released", text, column=name, root=Cells(name, [str(data.releases[name].cell(0))]))
            for name, number in cells.items()
            if number
        ]
        details = {**planned.details, "suppressed_cells": cells}
        return replace(planned, notes=(*planned.notes, *notes), details=details)

    def _check_limit(self, gone: int, number: int, what: str) -> None:
        if gone > allowed(self.limit, number):
            raise MaskingError(
                f"{gone:,} of {number:,} {what} would have to be suppressed for k = {self.k:,}, more than limit="
                f"{self.limit:g} allows. Allow limit={share_for(gone, number)}, or use a smaller k."
            )


def _changed_cells(plan: TuplePlan) -> dict[str, int]:
    """How many cells of each column a plan without left-out records changes."""
    before = np.repeat(plan.tuples, np.diff(plan.start), axis=0)
    changed = plan.records @ (plan.outcome_tuples[plan.outcome] != before)
    return dict(zip(plan.names, changed.tolist(), strict=True))
