"""Draft a first job file for a table. Every guess is marked, and the job runs only after each is confirmed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ontomask.base.atomic import write_atomic
from ontomask.base.progress import progress, with_progress
from ontomask.errors import worded
from ontomask.job.column_formats import are_dates, are_grouped_numbers, have_only_thousands
from ontomask.job.column_guesses import Guess, Profile, guess_column, profile
from ontomask.job.column_names import name_words
from ontomask.job.outputs import Outputs
from ontomask.job.problems import spell_in_table
from ontomask.job.sources import EMBEDDED, open_taxonomy
from ontomask.job.toml_text import toml_comment, toml_key, toml_table
from ontomask.kinds.policies import POLICIES
from ontomask.microdata import frames, read_table
from ontomask.microdata.decimals import number_columns, with_points
from ontomask.microdata.files import READ_ONLY, WITH_HEADER, delimiter_of, extension_of

__all__ = ["JobDraft", "draft_job"]

# Decimal marks and marks between thousands, the usual ones first.
_MARKS: Sequence[Mapping[str, str]] = (
    {"decimal": ","},
    {"thousands": ","},
    {"decimal": ",", "thousands": "."},
    {"thousands": " "},
    {"thousands": "'"},
    {"decimal": ",", "thousands": " "},
)
_MARKS_IN_WORDS = {"decimal": "decimal comma", "thousands": "mark between thousands"}
# The share of names that look like cells if a file has no header.
_LIKE_CELLS = 0.3
# Shorter words in names of columns, such as "code" and "of", say little.
_TELLING = 5

# The first lines of a draft: what a person has to do.
_TO_DO = """\
# It does not run yet. Check each guess, marked 'confirmed = false'. Correct it and write 'confirmed = true'.
# Roles of columns:
#   "identifier"        identifies a person by itself: removed
#   "quasi-identifier"  others may know it about a person: masked; needs a kind
#   "confidential"      nobody may learn it about a person: kept, and measured
#   "other"             nobody can know it about a person: kept unchanged. If in doubt, do not choose this one.
#   "drop"              nobody needs it: left out
{undecided}#
# 'ontomask map' with this file shows how the values are mapped, and what is still to do."""
_TO_DECIDE = '# Decide what these columns are, and write it instead of "undecided": {}.\n'


@dataclass(frozen=True)
class JobDraft:
    """A first job for a table, with its guesses.

    Attributes
    ----------
    data, reading
        The file of the table, and the options for reading it.
    profiles, guesses
        The profile and the guess of each column.
    ontologies
        The ontologies in files, by their names in the job.
    marks, marked
        The decimal mark and the mark between thousands, if the numbers of some columns seem to have them and the user
        gave none; and these columns.
    no_header
        Whether the first row seems to be a record and not the names of the columns. The user did not say.
    """

    data: Path
    reading: Mapping[str, Any]
    profiles: Mapping[str, Profile]
    guesses: Mapping[str, Guess]
    ontologies: Mapping[str, Path]
    marks: Mapping[str, str]
    marked: tuple[str, ...]
    no_header: bool = False

    def text(self, folder: Path, *, by_hand: bool = True) -> str:
        """The content of the job file, which will be in ``folder``; with what to do if it will be edited by hand."""
        extension = extension_of(self.data)
        stem = self.data.name[: -len(extension)]
        masked = f"{stem}-masked{'.csv' if extension in READ_ONLY else extension}"
        blocks = [
            f"# A first job for {toml_comment(self.data.name)}, written by 'ontomask init'.\n{self._to_do()}"
            if by_hand
            else f"# A job for {toml_comment(self.data.name)}, made in the workbench.",
            self._input(folder),
            *(
                toml_table(f"ontologies.{toml_key(n)}", {"path": _relative_path(p, folder)})
                for n, p in self.ontologies.items()
            ),
            *(self._column(name) for name in self.profiles),
            self._policies(),
            "# 'ontomask advise' recommends a method, 'ontomask compare' measures several on these data.\n"
            + toml_table("method", {"name": "Microaggregation", "k": 5, "confirmed": False}),
            "# The masked table and the report may be shared. The private file beside them may not.\n"
            + toml_table("output", {"masked": masked, "report": f"{stem}-report.html"}),
        ]
        return "\n\n".join(blocks) + "\n"

    def _to_do(self) -> str:
        undecided = [name for name, guess in self.guesses.items() if guess.role == "undecided"]
        return _TO_DO.format(undecided=_TO_DECIDE.format(toml_comment(", ".join(undecided))) if undecided else "")

    def _input(self, folder: Path) -> str:
        keys = {"path": _relative_path(self.data, folder), **self.reading}
        comments = ["# Guessed: the first row is a record, not the names of the columns."] if self.no_header else []
        if self.marks:
            what = " and ".join(_MARKS_IN_WORDS[mark] for mark in self.marks)
            comments.append(f"# Guessed: the {what}, from the numbers of {toml_comment(', '.join(self.marked))}.")
        guessed = {**({"header": False} if self.no_header else {}), **self.marks}
        table = toml_table("input", {**keys, **guessed, "confirmed": False} if guessed else keys)
        return "\n".join([*comments, table])

    def _column(self, name: str) -> str:
        guess, seen = self.guesses[name], self.profiles[name].evidence
        is_decided = guess.role != "undecided"
        comments = [f"{'Guessed' if is_decided else 'Undecided'}: {guess.why}; {seen}."]
        comments += [worded(guess.advice, spell_in_table)] if guess.advice else []
        policies = self.missing_keys(name, guess.keys["kind"]) if "kind" in guess.keys else {}
        if "missing_tokens" in policies:
            comments.append("Guessed to mean a missing cell: missing_tokens. Remove real values from them.")
        decided = {"role": guess.role, **guess.keys, **policies, "confirmed": False}
        table = decided if is_decided else {"role": guess.role}
        lines = [f"# {toml_comment(comment)}" for comment in comments]
        return "\n".join([*lines, toml_table(f"columns.{toml_key(name)}", table)])

    def missing_keys(self, name: str, kind: str) -> dict[str, Any]:
        """The policy for missing cells of a column: a value of their own in a category, else the top of the column."""
        column = self.profiles[name]
        if not column.missing:
            return {}
        tokens = {"missing_tokens": list(column.tokens)} if column.tokens else {}
        return {"missing": "category" if kind == "category" else "root", **tokens}

    def _policies(self) -> str:
        """The policies of columns without their own. Missing cells are an error, which is the safe choice."""
        lacking = [f"{column.name} ({column.missing:,})" for column in self.profiles.values() if column.missing]
        where = f" Missing cells: {toml_comment(', '.join(lacking))}." if lacking else " No cell is missing."
        allowed = ", ".join(f'"{policy}"' for policy in POLICIES)
        comment = f"# For cells to be masked: {allowed}. A column can have its own.{where}\n"
        return comment + toml_table("policies", {"missing": "error", "unmapped": "error", "confirmed": False})

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the job file atomically."""
        outputs = Outputs({"the job": path}, {"the table": self.data}, overwrite)
        content = self.text(path.parent).encode()
        with outputs.writing() as drafts:
            write_atomic(drafts["the job"], content)


@progress("Examining the table")
def draft_job(
    data: Path, ontologies: Sequence[str] = (), reading: Mapping[str, Any] = MappingProxyType({})
) -> JobDraft:
    """Examine a table and draft a job for it.

    Parameters
    ----------
    data
        The file of the table.
    ontologies
        Names of embedded ontologies, or paths; by default all embedded ones are tried.
    reading
        Keys of the job's ``input`` besides the path: ``delimiter``, ``encoding``, ``header``, ``decimal``,
        ``thousands``, ``sheet``.
    """
    frame = read_table(data, **reading)
    no_header = "header" not in reading and extension_of(data) in WITH_HEADER and _starts_with_record(frame)
    if no_header:
        frame = read_table(data, **reading, header=False)
    marks, marked = _guess_marks(frame, data, reading)
    if marks:
        frame = with_points(frame, marked, **{"decimal": ".", **marks})
    names = {name if name in EMBEDDED else Path(name).stem: name for name in ontologies or _default_ontologies()}
    files = {short: Path(name) for short, name in names.items() if name not in EMBEDDED}
    loaders = {short: cache(partial(open_taxonomy, name)) for short, name in names.items()}
    if ontologies:
        for load in loaders.values():
            load()
    profiles = {name: profile(frame, name) for name in with_progress("Reading columns", frames.columns(frame))}
    profiles |= {name: replace(profiles[name], marked=True) for name in marked}
    guesses: dict[str, Guess] = {}
    for name in with_progress("Guessing kinds and roles", profiles):
        guess = guess_column(profiles[name], loaders)
        if "person" in guess.keys and any("person" in earlier.keys for earlier in guesses.values()):
            guess = replace(guess, keys={})
        if guess.role == "weight" and any(earlier.role == "weight" for earlier in guesses.values()):
            guess = replace(guess, role="quasi-identifier", keys={"kind": "numeric"})
        guesses[name] = guess
    for name, major in _find_majors(frame, [n for n, g in guesses.items() if g.keys.get("kind") == "category"]).items():
        why = f"{guesses[name].why}; each lies under one value of {major}"
        guesses[name] = replace(guesses[name], why=why, keys={**guesses[name].keys, "under": major})
    return JobDraft(data, reading, profiles, guesses, files, marks, marked, no_header)


def _starts_with_record(frame: Any) -> bool:
    """Whether the names of several columns are values that their columns have, or dates."""
    names = frames.columns(frame)
    like_cells = [name for name in names if are_dates([name]) or name in profile(frame, name).texts]
    return len(like_cells) >= max(2, _LIKE_CELLS * len(names))


def _guess_marks(frame: Any, data: Path, reading: Mapping[str, Any]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The decimal mark and the mark between thousands that make numbers of most columns; and these columns."""
    delimiter = reading.get("delimiter") or delimiter_of(data)
    if delimiter is None or "decimal" in reading or "thousands" in reading:
        return {}, ()
    best: tuple[Mapping[str, str], tuple[str, ...]] = {}, ()
    for marks in _MARKS:
        # If the comma is the delimiter, a comma inside a number more likely separates thousands.
        if marks.get("decimal") == "," == delimiter:
            continue
        found = tuple(number_columns(frame, **{"decimal": ".", **marks}))
        if "thousands" not in marks:
            # 25,000 is more likely twenty-five thousand.
            found = tuple(name for name in found if not have_only_thousands(profile(frame, name).sample))
        if "thousands" in marks:
            grouped = [name for name in found if are_grouped_numbers(profile(frame, name).sample)]
            # Beside them, other columns may have decimal commas alone.
            beside = number_columns(frame, marks.get("decimal", ".")) if grouped else []
            found = tuple(name for name in found if name in {*grouped, *beside})
        if len(found) > len(best[1]):
            best = marks, found
    return best


def _find_majors(frame: Any, names: Sequence[str]) -> dict[str, str]:
    """For categories in detail the column of the wider categories above them, such as major occupations.

    Their names have a word in common, and each value in detail occurs with one wider value.
    """
    codes = {name: frames.factorise(frame, name)[0] for name in names}
    sizes = {name: int(code.max(initial=-1)) + 1 for name, code in codes.items()}
    found: dict[str, str] = {}
    for name in names:
        wider = [
            other
            for other in names
            if 2 < sizes[other] < sizes[name]
            and any(len(word) >= _TELLING for word in name_words(name) & name_words(other))
            and len(np.unique(codes[name].astype(np.int64) * sizes[other] + codes[other])) == sizes[name]
        ]
        if wider:
            found[name] = max(wider, key=lambda other: sizes[other])
    return found


def _default_ontologies() -> list[str]:
    """The ontologies of the package, and ICD-10-CM if its extra is installed."""
    return [name for name in EMBEDDED if name != "icd10cm" or find_spec("simple_icd_10_cm") is not None][::-1]


def _relative_path(path: Path, folder: Path) -> str:
    """A path relative to the job file; absolute if they are on different Windows drives."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:
        return path.resolve().as_posix()
