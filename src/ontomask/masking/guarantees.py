"""Count k on the released text: of records, or of persons with all their records under a pseudonym."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import number_texts
from ontomask.base.matching import count_matches
from ontomask.base.notes import Note
from ontomask.errors import MaskingError, Setting
from ontomask.masking.results import Guarantee
from ontomask.microdata import Microdata
from ontomask.microdata.joint import top_text
from ontomask.microdata.masked import MaskedTable
from ontomask.privacy import KAnonymity, group_records, k_anonymity

__all__ = ["count_k", "count_k_of_records", "count_wildcard_k", "unit_of"]

_INSTEAD = (
    "Use Microaggregation, which merges groups until they have k persons (except variant 'mdav' and bounded clusters)."
)


def unit_of(data: Microdata) -> str:
    """What k counts."""
    return "records" if data.persons is None else "persons"


def count_k(k: int, data: Microdata, masked: MaskedTable, by: Sequence[str] = ()) -> Guarantee:
    """Count k on the released text, together with the columns that divide the table. Less than k is an error.

    With pseudonyms, the persons are counted whose released records are all equal.
    """
    unit, names = unit_of(data), ", ".join([*masked.columns, *by])
    if not len(masked):
        text = "Every record was suppressed: nothing of {columns} is released."
        return Guarantee("k-anonymity", Note.of("all-suppressed", text, columns=names), None, unit)
    achieved = _count(data, masked, masked.groups, by, k).k
    what = "combination of {columns}" if masked.units is None else "set of records under one pseudonym, by {columns},"
    text = f"{{k}}-anonymity: every released {what} is shared by at least {{achieved:,}} {{unit}}"
    suppressed = len(data) - len(masked)
    text += "; {suppressed:,} records were suppressed." if suppressed else "."
    facts = {"columns": names, "k": k, "achieved": achieved, "unit": unit, "suppressed": suppressed}
    code = "k-anonymous" if masked.units is None else "k-anonymous-persons"
    return Guarantee("k-anonymity", Note.of(code, text, **facts), achieved, unit)


def count_wildcard_k(k: int, data: Microdata, masked: MaskedTable, by: Sequence[str] = ()) -> Guarantee:
    """Count k on the released text, where a cell that is the top matches any value. Less than k is an error."""
    if not len(masked):
        return count_k(k, data, masked, by)
    columns: list[NDArray[np.integer]] = []
    wildcards: list[int | None] = []
    for name, column in masked.columns.items():
        number, top = number_texts(column.cells, [top_text(data, name)])
        columns.append(number[column.code])
        wildcards.append(int(top[0]))
    groups = masked.groups
    if by:
        columns.append(data.strata(by)[masked.rows])
        wildcards.append(None)
        groups = group_records([groups, columns[-1]])
    achieved = int(count_matches(columns, wildcards, masked.records).min())
    if achieved < k:
        message = f"The output has a record that {achieved:,} records match, fewer than k = {k:,}."
        raise MaskingError(message, " Make a new plan from these data.", parameter="k")
    text = (
        "{k}-anonymity with wildcards: every released combination of {columns} matches at least {achieved:,} records, "
        "where a suppressed cell matches any value. Counted by equal values, the smallest group has {equal:,}."
    )
    facts = {"columns": ", ".join([*masked.columns, *by]), "k": k, "achieved": achieved}
    note = Note.of("k-anonymous-wildcards", text, **facts, equal=k_anonymity(groups, records=masked.records).k)
    return Guarantee("k-anonymity with wildcards", note, achieved, "records")


def count_k_of_records(k: int, data: Microdata, masked: MaskedTable, by: Sequence[str] = ()) -> Guarantee:
    """The guarantee of a method that masks records one by one, where pseudonyms link them: none for persons."""
    if not len(masked):
        return count_k(k, data, masked, by)
    achieved = _count(data, masked, masked.record_groups, by, k).k
    text = (
        "No guarantee for persons: every released combination of {columns} is shared by at least {achieved:,} persons, "
        "but pseudonyms link the records of a person, and the smallest group of persons with equal sets of records has "
        "{smallest:,}. Use another method, or leave out {pseudonyms}."
    )
    facts = {
        "columns": ", ".join([*masked.columns, *by]),
        "achieved": achieved,
        "smallest": k_anonymity(masked.groups, data.persons_at(masked.rows)).k,
        "pseudonyms": Setting("columns", str(data.person), "pseudonyms"),
    }
    return Guarantee("", Note.of("persons-not-protected", text, **facts), None, "persons")


def _count(data: Microdata, masked: MaskedTable, groups: NDArray[np.integer], by: Sequence[str], k: int) -> KAnonymity:
    """The sizes of groups inside the strata. A group below k is an error."""
    inside = group_records([groups, data.strata(by)[masked.rows]]) if by else groups
    found, unit = k_anonymity(inside, data.persons_at(masked.rows), records=masked.records), unit_of(data)
    if found.k < k:
        # Where tuples are divided, which record goes where is drawn when the plan is applied: only then are the
        # persons of each group known.
        advice = _INSTEAD if unit == "persons" else "Make a new plan from these data."
        message = f"The output has a group of {found.k:,} {unit}, fewer than k = {k:,}. {advice}"
        raise MaskingError(message, parameter="k")
    return found
