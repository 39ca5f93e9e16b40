"""Sentences that the report says in every form."""

from __future__ import annotations

from ontomask.microdata.disclosure_control import RARE
from ontomask.report.contents import TableFacts

__all__ = ["INTERNAL", "NOT_IN_REPORT", "NOT_LISTED", "counted"]

INTERNAL = (
    "Internal: not to be passed on. This report lists records by row number, and tells whoever has the released table "
    "which of them are hardly protected."
)
NOT_IN_REPORT = (
    f"This report holds no seed, no plan, no identifier, and no value that fewer than {RARE} originals have. The seed "
    f"and the plan undo the masking: keep them private."
)
NOT_LISTED = (
    "Which records these are is not told here: a list of them would show whoever has the released table where it is "
    "true and hardly protected. The keeper of the data can ask for it (exposed=True, or "
    "ontomask evaluate JOB --report FILE --exposed)."
)


def counted(table: TableFacts) -> str:
    """How many records came in and went out."""
    persons = "" if table.persons is None else f" of {table.persons:,} persons"
    parts = [f"{table.records:,} records{persons} were masked and {table.released:,} released"]
    if table.dropped:
        parts.append(f"{table.dropped:,} had been dropped before by the policies for missing and unmapped cells")
    if table.suppressed:
        parts.append(f"{table.suppressed:,} were suppressed")
    return "; ".join(parts) + "."
