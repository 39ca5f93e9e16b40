"""Check a job before it runs: unmapped values, missing cells, unconfirmed guesses."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ontomask.base.text import cell_text, is_comma_number, is_grouped_number, join_some
from ontomask.errors import MappingError, OntomaskError, TableError
from ontomask.job.column_formats import are_dates, date_formats
from ontomask.job.problems import spell_for_job
from ontomask.job.sources import Sources
from ontomask.job.toml_text import dotted_key
from ontomask.job.validation import undecided
from ontomask.kinds import Date, Kind, Ordinal, Prefix
from ontomask.mapping import ColumnMapping, MappingReport
from ontomask.mapping.words import looks_missing
from ontomask.masking.whole_rows import kept_column_notes

__all__ = ["Preflight", "preflight"]

_MAP = (
    "Values without a concept: map them in their column (mapping = { 'VALUE' = 'CONCEPT' }). If there are many, give "
    "the column a taxonomy that contains them, such as a CSV file of child and parent. For values without an ontology, "
    "write kind = 'category', or kind = 'ordinal' with categories in order. Or set unmapped, in [policies] for all "
    "columns or in the table of a column: 'root' (they become the root), 'category' (they are one value of its own), "
    "'drop' or 'keep'."
)
_FILL = (
    "Missing cells: set missing, in [policies] for all columns or in the table of a column. 'drop': the record is left "
    "out. 'root': the cell becomes the root, which says nothing. 'category': missing is a value of its own, which is "
    "masked like others. 'keep': the cell stays missing, and k counts it as a value."
)
_MANY = 5
_LISTS = (
    "Some values look like lists of concepts: write kind = 'concept_set' and their separator, such as separator = ';'."
)
_EDIT = (
    "To map many values, 'ontomask map JOB.toml --write mapping.csv' writes them with suggestions. Edit the column "
    "'concept' in a spreadsheet, and name the file in the column: mapping = 'mapping.csv'."
)
_CHANGED = (
    "Some concepts changed in the ontology since they were chosen: check them, and write the mapping file again "
    "('ontomask map JOB.toml --write')."
)
_TOKENS = (
    "Some values look like spellings of a missing cell: list them in missing_tokens, in [policies] for all columns or "
    "in the table of a column."
)
_CONFIRM = "Guesses: check each, correct it, and write confirmed = true there."


@dataclass(frozen=True)
class Preflight:
    """The result of checking a job.

    Attributes
    ----------
    mapping
        How every value of the nominal columns is mapped.
    problems
        What would stop the run.
    warnings
        What does not stop the run, but should be checked before it.
    next_steps
        How to solve problems that several columns may have.
    """

    mapping: MappingReport
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether the job can run."""
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

    Unlike other output, the result names values of the table: the user needs them to correct a mapping.

    Parameters
    ----------
    sources
        The job's inputs.
    guesses
        The tables that nobody has confirmed.
    check_method
        A function that raises an error if the method cannot mask the data.
    strict
        Whether a word that was mapped to its first sense by default is also a problem.
    """
    policy = sources.settings.policy
    found = []
    unknown = missing_cells = tokens = lists = changed = False
    warnings: list[str] = []
    problems = [f"{key}: {text}" for key, text in undecided(sources.settings)]
    for name in sources.attributes:
        key = dotted_key("columns", name)
        try:
            attribute = sources.completed(name)
        except TableError as problem:
            problems.append(f"{key}: {_worded(problem)}")
            continue
        column = _map(sources, name, attribute)
        if column is None:
            checked = _check_cells(sources, name, attribute)
            problems += [f"{key}: {text}" for text in checked.problems]
            warnings += [f"{key}: {text}" for text in checked.warnings]
            missing_cells |= checked.is_missing
            tokens |= checked.looks_missing
            continue
        found.append(column)
        if (
            isinstance(attribute, Prefix)
            and attribute.lengths
            and not attribute.groups_of({value.value: value.count for value in column.values})
        ):
            warnings.append(f"{key}: The lengths make no group, because no code is longer. Give smaller ones.")
        if column.unmapped and policy(name, "unmapped") == "error":
            problems.append(f"{key}: {len(column.unmapped):,} of {len(column.values):,} values have no concept.")
            unknown = True
        lists |= any(value.reason == "list" for value in column.unmapped)
        changed |= bool(column.changes)
        if column.missing and policy(name, "missing") == "error":
            problems.append(f"{key}: {column.missing:,} cells are missing.")
            missing_cells = True
        if strict and column.ambiguous:
            problems.append(f"{key}: {len(column.ambiguous):,} values were mapped to their first sense.")
        if strict and column.perhaps_missing:
            problems.append(f"{key}: {len(column.perhaps_missing):,} values look like spellings of a missing cell.")
    if not problems:
        # Other problems: columns without any value, invalid distances, and what the method needs.
        try:
            warnings += kept_column_notes(sources.data)
            check_method()
        except OntomaskError as problem:
            problems.append(_worded(problem))
    problems += [f"confirmed: Nobody has confirmed these guesses: {', '.join(guesses)}."] if guesses else []
    advice = (
        (unknown, _MAP),
        (sum(len(column.unmapped) for column in found) > _MANY, _EDIT),
        (lists, _LISTS),
        (changed, _CHANGED),
        (missing_cells, _FILL),
        (tokens, _TOKENS),
        (guesses, _CONFIRM),
    )
    steps = [step for needed, step in advice if needed]
    return Preflight(MappingReport(tuple(found)), tuple(problems), tuple(warnings), tuple(steps))


def _worded(problem: OntomaskError) -> str:
    listed = f" They are {join_some(problem.values, 12)}." if problem.values else ""
    return problem.worded(spell_for_job) + listed


def _map(sources: Sources, name: str, kind: Kind) -> ColumnMapping | None:
    try:
        return kind.map(sources.cell_counts(name), name, sources.settings.policy(name, "missing_tokens"))
    except MappingError:
        sources.locate_unknown_concept(name)
        raise


def _hint(kind: Kind, invalid: Sequence[str]) -> str:
    """How to read numbers or dates that are written in another way."""
    if isinstance(kind, Date):
        found = date_formats(invalid) if are_dates(invalid) else None
        example = "for example formats = ['%d/%m/%Y'] for 31/12/2021" if not found else f"formats = {found}"
        return f" Say how they are written: {example}."
    if isinstance(kind, Ordinal):
        return " Add them to the categories, or list them in missing_tokens."
    commas = " If they have decimal commas, set input.decimal = ','." if any(map(is_comma_number, invalid)) else ""
    grouped = any(map(is_grouped_number, invalid))
    return commas + (" If they have marks between thousands, set input.thousands to that mark." if grouped else "")


class _Checked(NamedTuple):
    """The cells of a column without concepts.

    ``is_missing``: cells are missing that must not be; ``looks_missing``: invalid cells look like missing ones.
    """

    problems: list[str]
    warnings: list[str]
    is_missing: bool
    looks_missing: bool


def _check_cells(sources: Sources, name: str, kind: Kind) -> _Checked:
    """Check the cells of a column without concepts."""
    policy = sources.settings.policy
    unmapped, tokens = policy(name, "unmapped"), policy(name, "missing_tokens")
    problems: list[str] = []
    warnings: list[str] = []
    texts: list[str] = []
    missing = 0
    for cell, count in sources.cell_counts(name).items():
        text = cell_text(cell)
        if text is None or text in tokens:
            missing += count
        else:
            texts.append(text)
    invalid = kind.mismatches(texts)
    if invalid and unmapped == "error":
        problems.append(f"These are {kind.mismatch}: {join_some(invalid, 12)}.{_hint(kind, invalid)}")
    elif invalid:
        text = f"These are {kind.mismatch}, and the policy for them is '{unmapped}': {join_some(invalid, 12)}."
        warnings.append(text + _hint(kind, invalid))
    is_missing = bool(missing) and policy(name, "missing") == "error"
    if is_missing:
        problems.append(f"{missing:,} cells are missing.")
    return _Checked(problems, warnings, is_missing, any(map(looks_missing, invalid)))
