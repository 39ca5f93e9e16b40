"""Before a job runs: is every value mapped, is anything missing, is everything confirmed?"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ontomask.base.text import cell_text, is_comma_number, join_some
from ontomask.errors import MappingError, OntomaskError
from ontomask.job.fitting import undecided
from ontomask.job.problems import dotted
from ontomask.job.sources import Sources, cell_counts
from ontomask.kinds import Kind
from ontomask.mapping import ColumnMapping, MappingReport
from ontomask.masking.whole_rows import kept_column_notes

__all__ = ["Preflight", "preflight"]

_MAP = (
    "Values without a concept: map them in their column (mapping = { 'VALUE' = 'CONCEPT' }). If there are many, give "
    "the column a taxonomy that knows them, such as a CSV file of child and parent, or kind = 'ordinal' with "
    "categories in order. Or say for all columns policies.unmapped = 'root' (they become the top), 'drop' or 'keep'."
)
_FILL = (
    "Missing cells: say policies.missing = 'drop' (the record is left out) or 'keep' (the cell stays missing, and k "
    "counts it as a value)."
)
_CONFIRM = "Guesses: look at each, correct it, and write confirmed = true there."


@dataclass(frozen=True)
class Preflight:
    """What stands between a job and its run.

    Attributes
    ----------
    mapping
        How every value of the nominal columns is mapped.
    problems
        What would stop the run; none where it can go ahead.
    warnings
        What does not stop the run, but should be looked at before it.
    next_steps
        How to solve problems that several columns may have.
    """

    mapping: MappingReport
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Nothing stands in the way."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "ready": self.ready,
            "problems": list(self.problems),
            "warnings": list(self.warnings),
            "next_steps": list(self.next_steps),
            "columns": json.loads(self.mapping.to_json()),
        }


def preflight(
    sources: Sources, guesses: tuple[str, ...], check_method: Callable[[], None], *, strict: bool = False
) -> Preflight:
    """Map a job's columns without masking anything.

    This is the one place that names values of the table: who is to mend a mapping has to know which they are.

    Parameters
    ----------
    sources
        The job's inputs.
    guesses
        What nobody has confirmed.
    check_method
        Raises where the method cannot mask the data, such as values that its hierarchies lack.
    strict
        Whether a word taken in its first sense by default is a problem, too.
    """
    policies = sources.settings.policies
    found = []
    lacking = False
    problems = [f"{key}: {text}" for key, text in undecided(sources.settings)]
    for name, attribute in sources.attributes.items():
        key = dotted("columns", name)
        column = _map(sources, name, attribute)
        if column is None:
            strange, missing = _strange_cells(sources, name, attribute)
            problems += [f"{key}: {text}" for text in strange]
            lacking |= missing
            continue
        found.append(column)
        if column.unmapped and policies.unmapped == "error":
            problems.append(f"{key}: {len(column.unmapped):,} of {len(column.values):,} values have no concept.")
        if column.missing and policies.missing == "error":
            problems.append(f"{key}: {column.missing:,} cells are missing.")
            lacking = True
        if strict and column.ambiguous:
            problems.append(f"{key}: {len(column.ambiguous):,} values were taken in their first sense.")
        if strict and column.perhaps_missing:
            problems.append(f"{key}: {len(column.perhaps_missing):,} values look like spellings of a missing cell.")
    warnings: tuple[str, ...] = ()
    if not problems:
        # What else could stop the run: columns without any value, distances, and what the method needs.
        try:
            warnings = kept_column_notes(sources.data)
            check_method()
        except OntomaskError as problem:
            listed = f" They are {join_some(problem.values, 12)}." if problem.values else ""
            problems.append(f"{problem}{listed}")
    problems += [f"{key}: is a guess that nobody has confirmed." for key in guesses]
    unknown = policies.unmapped == "error" and any(column.unmapped for column in found)
    steps = [step for needed, step in ((unknown, _MAP), (lacking, _FILL), (guesses, _CONFIRM)) if needed]
    return Preflight(MappingReport(tuple(found)), tuple(problems), warnings, tuple(steps))


def _map(sources: Sources, name: str, kind: Kind) -> ColumnMapping | None:
    try:
        return kind.map(cell_counts(sources.frame, name), name, sources.settings.policies.missing_tokens)
    except MappingError:
        sources.blame_concepts(name)
        raise


def _strange_cells(sources: Sources, name: str, kind: Kind) -> tuple[list[str], bool]:
    """Cells that are no numbers or none of the categories, and whether cells are missing that may not be."""
    policies = sources.settings.policies
    problems = []
    texts: list[str] = []
    missing = 0
    for cell, count in cell_counts(sources.frame, name).items():
        text = cell_text(cell)
        if text is None or text in policies.missing_tokens:
            missing += count
        else:
            texts.append(text)
    strange = kind.mismatches(texts)
    if strange:
        hint = " With decimal commas? Then say input.decimal = ','." if any(map(is_comma_number, strange)) else ""
        problems.append(f"{kind.mismatch}: {join_some(strange, 12)}.{hint}")
    lacking = bool(missing) and policies.missing == "error"
    if lacking:
        problems.append(f"{missing:,} cells are missing.")
    return problems, lacking
