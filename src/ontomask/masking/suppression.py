"""Suppression: records, or single cells, that fewer than k records share are not released (Martínez 2012, 9.2)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from ontomask.base.notes import Cells, Note
from ontomask.errors import MaskingError, Setting
from ontomask.masking.anonymous import PromisesK
from ontomask.masking.cell_suppression import SEMANTICS, Semantics, suppress_cells
from ontomask.masking.description import About, one_of, share
from ontomask.masking.guarantees import count_wildcard_k
from ontomask.masking.person_units import plan_persons
from ontomask.masking.rare_kept import RareKept
from ontomask.masking.results import Guarantee, Planned
from ontomask.masking.sizes import allowed, group_sizes, share_for
from ontomask.microdata import Microdata, TuplePlan
from ontomask.microdata.joint import top_text
from ontomask.microdata.masked import MaskedTable
from ontomask.microdata.plan import SUPPRESSED

__all__ = ["Suppression"]

_BELOW = (
    "{records:,} records are equal to fewer than k = {k} released records. They reach k only because the suppressed "
    "cells of other records may be any value. Measure how many persons an intruder finds by the nearest match."
)


@dataclass(frozen=True, repr=False)
class Suppression(PromisesK):
    """Leave out what fewer than k records share: whole records, or single cells.

    Parameters
    ----------
    k
        The least number of records that share a released tuple; of persons, if the data have a ``person`` column.
    mode
        ``records``: each record whose combination fewer than k records share is left out; the result knows which rows
        remain. ``cells``: single cells are released as the root of their domain, or as ``*`` in columns of numbers,
        dates and ordered categories: these say nothing. A search finds few cells that suffice, each counted with the
        weight of its column. Equal records are treated alike.
    limit
        The share of the records, or of the cells of quasi-identifiers, that may be suppressed. More is an error.
    semantics
        For ``cells``, which records k counts. ``equality``: those that are released with the same text, so a suppressed
        cell is a value of its own. ``wildcard``: those that match, which means that they are equal in all columns that
        neither of them has suppressed, as sdcMicro counts missing values. It needs fewer cells and protects less: a
        record that is unique in the released table may be counted with k − 1 others that have suppressed cells. Only
        records that fewer than k match are suppressed, each only until k match it. The guarantee names the
        semantics. With more than 12 columns, the cells are those found by equality. Persons, ``require`` and averaged
        weights need equality.

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
    >>> result = Suppression(k=3, mode="cells", semantics="wildcard").mask(data)
    >>> result.frame["now"].tolist(), result.guarantee.claim, result.guarantee.k
    (['ache', 'ache', 'symptom'], 'k-anonymity with wildcards', 3)
    """

    about: ClassVar[About] = About(
        what="Combinations that fewer than k records share are suppressed: whole records are left out, or single cells "
        "are released as the root of their domain or as an asterisk, which carry no information.",
        why="No other value is changed, so released values are exact. But rare values, which are often the most "
        "interesting, are lost.",
        summary="true; rare records are left out, or single cells become the top, which says nothing",
        guarantees=("k-anonymity", "k-anonymity with wildcards"),
    )

    _: KW_ONLY
    mode: Literal["records", "cells"] = field(default="records", metadata=one_of(("records", "cells")))
    limit: float = field(default=1.0, metadata=share())
    semantics: Semantics = field(default="equality", metadata=one_of(SEMANTICS))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.semantics == "wildcard" and self.mode != "cells":
            mode = Setting("method", "mode", values=["cells"])
            raise self._wrong("semantics", "is not for this mode. Leave it out, or use ", mode, ".")
        if self.semantics == "wildcard" and self.require:
            equality = Setting("method", "semantics", values=["equality"])
            raise self._wrong(
                "require", "counts groups of equal records, which wildcards do not form. Use ", equality, "."
            )

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask, such as persons where it counts matching records."""
        super().check(data)
        if self.semantics == "wildcard" and data.person is not None:
            raise self._wrong(
                "semantics",
                f"counts records that match, and {data.person!r} says that a person has several. Use ",
                Setting("method", "semantics", values=["equality"]),
                ".",
            )
        if self.semantics == "wildcard" and data.averages_weights:
            raise MaskingError(
                "Records that match by wildcards need not be equal, so the mean weight of equal records may be that of "
                "one person. Use ",
                Setting("method", "semantics", values=["equality"]),
                ", or keep the weights, as a column that others may know: ",
                Setting("columns", str(data.weights), "average_weights", values=[False]),
                ".",
                column=data.weights,
                parameter="average_weights",
            )

    def _verify(self, data: Microdata, masked: MaskedTable, planned: Planned) -> Guarantee:
        if self.semantics == "wildcard":
            return count_wildcard_k(self.k, data, masked, self.by)
        return super()._verify(data, masked, planned)

    @property
    def is_truthful(self) -> bool:
        """Yes: released values are exact, or say nothing."""
        return True

    @property
    def recodes_values(self) -> bool:
        """Yes, if whole records are left out: the values of the others stay."""
        return self.mode == "records"

    @property
    def weighs_columns(self) -> bool:
        """Yes, if cells are suppressed. Whole records are left out whatever the weights."""
        return self.mode == "cells"

    def _plan_persons(self, data: Microdata, rng: np.random.Generator) -> Planned:
        # The limit is for the whole table, not for persons with equally many records.
        planned = plan_persons(replace(self, limit=1.0), data, rng)
        records, cells = planned.details["suppressed"], planned.details.get("suppressed_cells", {})
        self._check_limit(records, len(data), "records")
        self._check_limit(sum(cells.values()), len(data) * len(data.quasi_identifiers), "cells")
        return planned

    def _check_rare(self, rare: RareKept) -> None:
        # Records that cannot be in a group are left out.
        if self.mode == "cells":
            super()._check_rare(rare)

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        return self._without_records(data) if self.mode == "records" else self._without_cells(data, rng)

    def _without_records(self, data: Microdata) -> Planned:
        table = data.table
        is_short = group_sizes(data, np.arange(len(table)), len(table)) < self.k
        left_out = int(table.counts[is_short].sum())
        self._check_limit(left_out, len(data), "records")
        outcome = np.where(is_short, SUPPRESSED, np.cumsum(~is_short) - 1)
        released = table.tuples[~is_short]
        plan = TuplePlan.of(table, outcome=outcome, outcome_tuples=released, promise=self._promise(data))
        return Planned(plan, details={"groups": int((~is_short).sum()), "suppressed": left_out})

    def _without_cells(self, data: Microdata, rng: np.random.Generator) -> Planned:
        planned = suppress_cells(data, self.k, rng, semantics=self.semantics, require=self.require)
        assert isinstance(planned.plan, TuplePlan)
        cells = _changed_cells(planned.plan)
        self._check_limit(sum(cells.values()), len(data) * len(cells), "cells")
        text = "Suppressed cells of {column!r} are released as {root}, which says nothing about them."
        notes = [
            Note.of("root-released", text, column=name, root=Cells(name, [top_text(data, name)]))
            for name, number in cells.items()
            if number
        ]
        if self.semantics == "wildcard":
            below = _below_k(planned.plan, self.k)
            notes += [Note.of("equal-groups-below-k", _BELOW, records=below, k=self.k)] if below else []
        details = {**planned.details, "suppressed_cells": cells}
        return replace(planned, notes=(*planned.notes, *notes), details=details)

    def _check_limit(self, suppressed: int, number: int, what: str) -> None:
        if suppressed > allowed(self.limit, number):
            raise MaskingError(
                f"For k = {self.k:,}, {suppressed:,} of {number:,} {what} must be suppressed, and the limit is "
                f"{self.limit:g}. Use ",
                Setting("method", "limit", values=[share_for(suppressed, number)]),
                " or a smaller k.",
                parameter="limit",
            )


def _below_k(plan: TuplePlan, k: int) -> int:
    """The number of records that are released equal to fewer than k."""
    size = np.bincount(plan.outcome, plan.records)
    return int(size[size < k].sum())


def _changed_cells(plan: TuplePlan) -> dict[str, int]:
    """The number of cells of each column that a plan changes. The plan must leave out no record."""
    before = np.repeat(plan.tuples, np.diff(plan.start), axis=0)
    changed = plan.records @ (plan.outcome_tuples[plan.outcome] != before)
    return dict(zip(plan.names, changed.tolist(), strict=True))
