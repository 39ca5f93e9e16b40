"""The conditions of the claim: nothing but a record's own values may decide what it is released as.

Whoever has read this code must not learn more from a release than the claim says. So everything that depends on other
records, or on which values occur, is refused: see `check_conditions` for the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.base.grouping import count_codes
from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.errors import MaskingError, Setting
from ontomask.kinds import Column, nominal_columns
from ontomask.kinds.public import PublicDomain
from ontomask.masking.results import AnyPlan, Guarantee
from ontomask.microdata import Microdata, TuplePlan
from ontomask.microdata.masked import MaskedTable

if TYPE_CHECKING:
    from ontomask.masking.base import Method

__all__ = ["VOID", "check_conditions", "check_persons", "check_release"]

VOID = Guarantee(
    "",
    Note.of(
        "no-guarantee",
        "No privacy guarantee: with 'unsafe_seed' the draws can be repeated, and the masking undone. Mask again "
        "without it before you release anything.",
    ),
)
"""What a method that was allowed a seed guarantees."""

_ALLOWED = ("error", "root")

_REFUSED = {
    "require": "Output that is masked again until it meets a requirement is no longer random",
    "by": "Each record is masked by itself, so strata change nothing",
    "consistent": "Equal released values would tell that the originals are equal",
}


def check_conditions(method: Method, data: Microdata, distance: Any) -> None:
    """Refuse methods and data for which the claim would not hold.

    - ``require``, ``by`` and ``consistent`` make a release depend on other records.
    - Linked columns get the value that most originals have.
    - A record that is dropped, or a cell that is kept, tells that its value was missing or unmapped. A value of its own
      for such cells is a candidate only if they occur. So policies are ``error`` or ``root``.
    - A column that mixes texts, dates and numbers would be released as the one or the other because of single cells.
    - A domain, categories or a range that are taken from the data: see `Column.public_domain`.
    - Distances that use counts of concepts, which may be those of the data.
    """
    name = type(method).__name__
    for parameter, why in _REFUSED.items():
        if getattr(method, parameter):
            setting = Setting("method", parameter)
            raise MaskingError(f"{name} cannot have ", setting, f": {why}. Leave it out.", parameter=parameter)
    if data.linked:
        raise MaskingError(
            f"{name} cannot release linked columns: their values follow from other records. Leave them out with ",
            Setting("columns", next(iter(data.linked)), "drop"),
            ".",
            parameter="linked",
        )
    for column in data.quasi_identifiers.values():
        _check_policies(name, data, column)
        _check_types(name, column)
        column.public_domain(distance)
    for nominal in nominal_columns(data.quasi_identifiers.values()):
        if isinstance(nominal.under(distance, None).distance.options().get("ic"), Mapping):
            raise MaskingError(
                f"The distance of {nominal.name!r} uses counts of concepts, which may be those of the data. Choose "
                f"another information content, such as 'seco'.",
                column=nominal.name,
                parameter="distance",
            )


def _check_policies(method: str, data: Microdata, column: Column) -> None:
    policies = data.policies[column.name]
    for which in ("missing", "unmapped"):
        policy = getattr(policies, which)
        if policy not in _ALLOWED:
            raise MaskingError(
                f"{method} cannot mask {column.name!r} with the policy {policy!r} for {which} cells: a release would "
                f"show which cells these are. Use ",
                Setting("policies", which, values=_ALLOWED),
                ".",
                column=column.name,
                parameter=which,
            )


def _check_types(method: str, column: Column) -> None:
    cells = [cell for i in column.live if cell_text(cell := column.cells[i]) is not None]
    if any(len({isinstance(cell, kind) for cell in cells}) > 1 for kind in (str, datetime, date)):
        raise MaskingError(
            f"{method} cannot mask {column.name!r}: it mixes texts with other cells, or dates with times. The type of "
            f"the release would show that such cells occur. Convert all cells to one type first.",
            column=column.name,
            code="mixed-types",
        )


def check_persons(data: Microdata, records_per_person: int | None) -> None:
    """Refuse persons with more records than the user says, or data without persons."""
    if records_per_person is None:
        return
    if data.persons is None:
        raise MaskingError(
            "A budget of persons needs to know persons. Name the column that identifies them in ",
            Setting("columns", "NAME", "person"),
            ".",
            parameter="records_per_person",
        )
    if int(count_codes(data.persons, data.holders, data.row_records).max()) > records_per_person:
        raise MaskingError(
            f"Some persons have more than {records_per_person:,} records. Remove their other records, or choose a "
            f"larger number without looking at the data: ",
            Setting("method", "records_per_person"),
            ".",
            parameter="records_per_person",
        )


def check_release(data: Microdata, masked: MaskedTable, plan: AnyPlan, domains: Sequence[PublicDomain]) -> None:
    """Refuse a plan of other data, and output with missing records or cells that are no candidates."""
    _check_plan(data, plan)
    if len(masked) != len(data):
        raise MaskingError("Records are missing from the output. Mask the data again.", code="not-verified")
    for domain in domains:
        released = masked.columns[domain.column]
        read = domain.release.points(released.cells)
        if released.kept.any() or not np.isin(read, domain.points).all():
            text = f"The output has cells of {domain.column!r} that are no candidates. Mask the data again."
            raise MaskingError(text, column=domain.column, code="not-verified")


def _check_plan(data: Microdata, plan: AnyPlan) -> None:
    """Refuse a plan for other data: its draws were made for other values."""
    if not isinstance(plan, TuplePlan):
        return  # it knows its records
    table = data.table
    same = plan.tuples is table.tuples or (
        np.array_equal(plan.tuples, table.tuples) and np.array_equal(plan.sizes, table.counts)
    )
    values = zip(plan.values, table.values, strict=True)
    if not same or not all(np.array_equal(ours.points[: len(own)], own.point) for ours, own in values):
        text = "The plan was drawn for other data, and draws cannot be used again. Mask these data instead."
        raise MaskingError(text, code="other-data")
