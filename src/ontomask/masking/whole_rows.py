"""Groups of released records that are equal in some columns, or in all that are not confidential."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.base.grouping import group_sets
from ontomask.base.notes import Note, join_names
from ontomask.kinds.base import RARE
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedTable, MaskedTuples
from ontomask.operators.ranges import ends_of, is_off_line, is_range
from ontomask.privacy import KAnonymity, group_records, k_anonymity
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.diversity import held_by_all

__all__ = [
    "count_columns",
    "count_whole_rows",
    "diversity_notes",
    "kept_column_notes",
    "person_notes",
    "range_notes",
    "whole_row_notes",
]


# Kept columns of so many records in an engine are counted before masking.
_FEW = 1_000_000


def count_columns(data: Microdata, masked: MaskedTable, columns: Sequence[str]) -> KAnonymity | None:
    """Groups of released records with equal text in some columns: quasi-identifiers, or columns that are kept.

    With pseudonyms, all records under them must be equal. ``None`` if nothing was released.
    """
    if not len(masked):
        return None
    if isinstance(masked, MaskedTuples):
        records, holders, repeats = masked.frame.group_sizes(list(columns), data.person).T
        return KAnonymity("records" if data.person is None else "persons", holders, records, repeats)
    kept = [name for name in columns if name not in masked.columns]
    codes = [masked.codes(name) for name in columns if name in masked.columns]
    groups = group_records([*codes, *([data.strata(kept)[masked.rows]] if kept else [])])
    return k_anonymity(masked.link(groups), data.persons_at(masked.rows))


def count_whole_rows(data: Microdata, masked: MaskedTable) -> KAnonymity | None:
    """Groups of released records that are equal in the quasi-identifiers and the ``other`` columns: the whole row.

    ``None`` if nothing was released.
    """
    return count_columns(data, masked, [*masked.columns, *data.other])


def whole_row_notes(data: Microdata, masked: MaskedTable, k: int | None) -> tuple[Note, ...]:
    """A warning if the kept columns make rows unique in spite of the masked quasi-identifiers.

    ``k`` was verified for the quasi-identifiers.
    """
    if not data.other or not len(masked):
        return ()
    found = count_whole_rows(data, masked)
    percent = found.percent_unique if found is not None and found.uniques else 0.0
    if not percent:
        return ()
    promised = "k = {k:,} over {names}, but " if k is not None else ""
    unique = "are unique" if masked.units is None else "are under pseudonyms with a unique set of records"
    return (
        Note.of(
            "rows-unique",
            f"{promised}{{percent:.3g}} % of the released rows {unique} over all columns that others may know. Columns "
            "that are kept unmasked: {kept}. Make those that others may know quasi-identifiers, or remove them.",
            k=k,
            names=join_names(data.quasi_identifiers),
            percent=percent,
            kept=join_names(data.other),
        ),
    )


def person_notes(data: Microdata, masked: MaskedTable, k: int | None) -> tuple[Note, ...]:
    """A warning if pseudonyms link records that are masked one by one. ``k`` was verified for persons, if at all."""
    if masked.units is None or k is not None or not len(masked):
        return ()
    persons = data.persons_at(masked.rows)
    assert persons is not None
    found = k_anonymity(masked.groups, persons)
    alone = len(np.unique(persons[found.sizes[masked.groups] == 1]))
    return (
        Note.of(
            "persons-linkable",
            "Pseudonyms link the records of a person, and nothing is guaranteed for persons: {percent:.3g} % of them "
            "have a set of released records that nobody else has, by {names}. The smallest group of persons with equal "
            "sets has {smallest:,}. Microaggregation and other k-anonymous methods protect whole sets.",
            percent=100 * alone / len(np.unique(persons)),
            names=join_names(masked.columns),
            smallest=found.k,
        ),
    )


def diversity_notes(data: Microdata, masked: MaskedTable, columns: Sequence[str]) -> tuple[Note, ...]:
    """A warning if pseudonyms reveal confidential values although the groups of records are diverse.

    ``columns`` are those whose diversity or closeness was required.
    """
    if masked.units is None or not len(masked):
        return ()
    notes = []
    for name in dict.fromkeys(columns):
        values = Confidential.of(data, name).codes[masked.rows] + 1
        percent = 100 * float(held_by_all(masked.groups, values, masked.units).mean())
        if percent:
            text = (
                "The requirement on {column!r} holds for single records. Pseudonyms link them: {percent:.3g} % of the "
                "released records have a value of {column!r} that every pseudonym with an equal set of records has, so "
                "everybody who finds the group learns it."
            )
            notes.append(Note.of("diversity-of-records", text, column=name, percent=percent))
    return tuple(notes)


def range_notes(data: Microdata, masked: MaskedTable) -> tuple[Note, ...]:
    """A warning if the narrowest range of a group ends at a value that few persons or records have."""
    notes = []
    for name, column in masked.columns.items():
        points = np.unique(column.point[~column.kept]) if column.is_ordered else np.empty(0)
        ranges = points[is_range(points) & ~is_off_line(points)]
        ends = np.unique(np.concatenate(ends_of(ranges)))
        rare = sum(not data.disclosure_control.may_name_point(name, end) for end in ends.tolist())
        if rare:
            text = (
                "Released ranges of {column!r} begin or end at {number:,} values that fewer than {rare} records (or "
                "persons) have, and so show them. To avoid that, use another 'centroid', or Generalisation, whose "
                "ranges have round ends."
            )
            notes.append(Note.of("range-ends-rare", text, number=rare, column=name, rare=RARE))
    return tuple(notes)


def kept_column_notes(data: Microdata) -> tuple[Note, ...]:
    """A warning before masking: no method protects a row that is unique in the kept columns."""
    if data.source is not None and len(data) > _FEW:
        # All rows may differ. The result of a method has a note on whole rows.
        return ()
    data = data.counted_by(data.other)
    groups = data.kept_groups
    if groups is None:
        return ()
    if data.pseudonyms and data.persons is not None:
        groups = group_sets(groups, data.persons)
    percent = k_anonymity(groups, data.persons, records=data.row_records).percent_unique
    if not percent:
        return ()
    unique = "are under pseudonyms with a unique set of records" if data.pseudonyms else "stay unique"
    return (
        Note.of(
            "kept-columns-unique",
            f"With every method, {{percent:.3g}} % of the rows {unique} in the columns that are kept unmasked: "
            "{kept}. Make those that others may know quasi-identifiers, or remove them.",
            percent=percent,
            kept=join_names(data.other),
        ),
    )
