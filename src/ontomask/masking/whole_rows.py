"""Groups of released records that are equal in all columns except the confidential ones: a release is the whole row."""

from __future__ import annotations

from ontomask.base.notes import Note, join_names
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData
from ontomask.privacy import KAnonymity, group_records, k_anonymity

__all__ = ["count_whole_rows", "kept_column_notes", "whole_row_notes"]


def count_whole_rows(data: Microdata, masked: MaskedData) -> KAnonymity | None:
    """Groups of released records that are equal in the quasi-identifiers and the ``other`` columns.

    ``None`` if nothing was released.
    """
    if not len(masked):
        return None
    groups = masked.groups
    if data.kept_groups is not None:
        groups = group_records([groups, data.kept_groups[masked.rows]])
    return k_anonymity(groups, data.persons_at(masked.rows))


def whole_row_notes(data: Microdata, masked: MaskedData, k: int | None) -> tuple[Note, ...]:
    """A warning if the kept columns make rows unique in spite of the masked quasi-identifiers.

    ``k`` was verified for the quasi-identifiers.
    """
    found = count_whole_rows(data, masked) if data.kept_groups is not None else None
    if found is None or not found.uniques:
        return ()
    promised = "k = {k:,} over {names}, but " if k is not None else ""
    return (
        Note.of(
            "rows-unique",
            promised + "{percent:.3g} % of the released rows are unique over all columns that others may know. Columns "
            "that are kept unmasked: {kept}. Make those that others may know quasi-identifiers, or remove them.",
            k=k,
            names=join_names(data.quasi_identifiers),
            percent=found.percent_unique,
            kept=join_names(data.other),
        ),
    )


def kept_column_notes(data: Microdata) -> tuple[Note, ...]:
    """A warning before masking: no method protects a row that is unique in the kept columns."""
    if data.kept_groups is None:
        return ()
    percent = k_anonymity(data.kept_groups, data.persons).percent_unique
    if not percent:
        return ()
    return (
        Note.of(
            "kept-columns-unique",
            "With every method, {percent:.3g} % of the rows stay unique in the columns that are kept unmasked: {kept}. "
            "Make those that others may know quasi-identifiers, or remove them.",
            percent=percent,
            kept=join_names(data.other),
        ),
    )
