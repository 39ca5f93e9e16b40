"""A first job file for a table: everything guessed, every guess marked, nothing runs until each is confirmed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from ontomask.base.atomic import write_atomic
from ontomask.job.guessing import Guess, Profile, guess_column, profile
from ontomask.job.outputs import Outputs
from ontomask.job.sources import EMBEDDED, open_taxonomy
from ontomask.job.toml_text import toml_comment, toml_key, toml_table, toml_value
from ontomask.microdata import frames, read_table
from ontomask.microdata.decimals import comma_columns, with_points
from ontomask.microdata.files import delimiter_of

__all__ = ["Draft", "draft_job"]

_AS_IT_IS: Mapping[str, str] = MappingProxyType({})
# The head of a draft: what a person has to do.
_TO_DO = """\
# It does not run yet:
#
# 1. Decide what every undecided column is, and write it as its role:
#      "identifier"        it names a person by itself, or is not needed: removed
#      "quasi-identifier"  others may know it about a person: masked; needs a kind
#      "confidential"      nobody may learn it about a person: kept, and measured
#      "other"             nobody can know it about a person: kept as it is. If in doubt, it is not this one.
#    Where FILE stands, give a CSV file of your own with the columns child and parent, a row for each link.
# 2. Look at each guess, marked 'confirmed = false'. Correct it and write 'confirmed = true'.
#
# 'ontomask map' with this file tells how the values are mapped, and what is still to do."""
_WRITABLE = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".xlsx", ".sav", ".dta")


@dataclass(frozen=True)
class Draft:
    """A first job for a table, with the guesses in it.

    Attributes
    ----------
    data, reading
        The file of the table, and how it is read.
    profiles, guesses
        By column what it looks like, and what it was taken for.
    ontologies
        Those in files, by the names they have in the job.
    commas
        The columns whose numbers seem to be written with a decimal comma, where nobody said so.
    """

    data: Path
    reading: Mapping[str, str]
    profiles: Mapping[str, Profile]
    guesses: Mapping[str, Guess]
    ontologies: Mapping[str, Path]
    commas: tuple[str, ...] = ()

    def text(self, folder: Path) -> str:
        """The job file, for a place in a folder."""
        stem, suffix = _name_and_end(self.data)
        blocks = [
            f"# A first job for {toml_comment(self.data.name)}, written by 'ontomask init'.\n{_TO_DO}",
            self._input(folder),
            *(
                toml_table(f"ontologies.{toml_key(n)}", {"path": _seen_from(p, folder)})
                for n, p in self.ontologies.items()
            ),
            *(self._column(name) for name in self.profiles),
            self._policies(),
            "# 'ontomask advise' recommends a method, 'ontomask compare' measures several on these data.\n"
            + toml_table("method", {"name": "Microaggregation", "k": 5, "confirmed": False}),
            "# The masked table and the report may be shared; what repeats the run goes into a private file beside.\n"
            + toml_table("output", {"masked": f"{stem}-masked{suffix}", "report": f"{stem}-report.html"}),
        ]
        return "\n\n".join(blocks) + "\n"

    def _input(self, folder: Path) -> str:
        keys = {"path": _seen_from(self.data, folder), **self.reading}
        if not self.commas:
            return toml_table("input", keys)
        where = toml_comment(", ".join(self.commas))
        return f"# Guessed: the decimal comma, by the numbers of {where}.\n" + toml_table(
            "input", {**keys, "decimal": ",", "confirmed": False}
        )

    def _column(self, name: str) -> str:
        guess = self.guesses[name]
        table, seen = f"columns.{toml_key(name)}", self.profiles[name].evidence
        if guess.role != "undecided":
            keys = {"role": guess.role, **guess.keys, "confirmed": False}
            comments = [f"Guessed: {guess.why}; {seen}.", *([guess.advice] if guess.advice else [])]
            return "\n".join([*(f"# {toml_comment(comment)}" for comment in comments), toml_table(table, keys)])
        comments = [f"Undecided: {guess.why}; {seen}.", *([guess.advice] if guess.advice else [])]
        if guess.suggested:
            keys = {"role": "quasi-identifier", **guess.suggested}
            listed = ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in keys.items())
            comments.append(f"If others may know it: {listed}")
        lines = [f"# {toml_comment(comment)}" for comment in comments]
        return "\n".join([*lines, toml_table(table, {"role": guess.role})])

    def _policies(self) -> str:
        """The missing-value policy; that nothing may be missing is the one that cannot do harm."""
        tokens = list(dict.fromkeys(token for column in self.profiles.values() for token in column.tokens))
        lacking = [f"{column.name} ({column.missing:,})" for column in self.profiles.values() if column.missing]
        where = f" Missing cells: {toml_comment(', '.join(lacking))}." if lacking else " No cell is missing."
        found = [
            f"{token!r} ({count:,} in {column.name})"
            for token in tokens
            for column in self.profiles.values()
            if (count := column.tokens.get(token))
        ]
        guessed = (
            f"# Guessed to stand for a missing cell: {toml_comment(', '.join(found))}.\n"
            "# Take out of missing_tokens what is a value of its own.\n"
            if found
            else ""
        )
        return (
            f'# Of cells to be masked. missing: "error", "keep" or "drop"; unmapped: "root", too.{where}\n'
            + guessed
            + toml_table(
                "policies", {"missing": "error", "missing_tokens": tokens, "unmapped": "error", "confirmed": False}
            )
        )

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the job file whole or not at all."""
        outputs = Outputs({"the job": path}, {"the table": self.data}, overwrite)
        content = self.text(path.parent).encode()
        with outputs.writing() as drafts:
            write_atomic(drafts["the job"], content)


def draft_job(data: Path, ontologies: Sequence[str] = (), reading: Mapping[str, str] = _AS_IT_IS) -> Draft:
    """Look at a table and guess what a job for it would say.

    Parameters
    ----------
    data
        The file of the table.
    ontologies
        Names of embedded ontologies, or paths; by default all embedded ones are tried.
    reading
        Keys of the job's input besides the path: ``delimiter``, ``encoding``, ``decimal``, ``sheet``.
    """
    frame = read_table(data, **reading)  # type: ignore[arg-type]
    commas: list[str] = []
    # Where the comma parts the cells, one inside a number is more likely to part thousands.
    if "decimal" not in reading and (reading.get("delimiter") or delimiter_of(data)) not in (None, ","):
        commas = comma_columns(frame)
        frame = with_points(frame, commas)
    names = {name if name in EMBEDDED else Path(name).stem: name for name in ontologies or _tried()}
    files = {short: Path(name) for short, name in names.items() if name not in EMBEDDED}
    at_hand = {short: cache(partial(open_taxonomy, name)) for short, name in names.items()}
    if ontologies:
        for load in at_hand.values():
            load()
    profiles = {name: profile(frame, name) for name in frames.columns(frame)}
    guesses: dict[str, Guess] = {}
    for name, column in profiles.items():
        guess = guess_column(column, at_hand)
        if "person" in guess.keys and any("person" in earlier.keys for earlier in guesses.values()):
            guess = replace(guess, keys={})
        guesses[name] = guess
    return Draft(data, reading, profiles, guesses, files, tuple(commas))


def _tried() -> list[str]:
    """Ontologies that come with the package; the one in an extra where that is installed."""
    return [name for name in EMBEDDED if name != "icd10cm" or find_spec("simple_icd_10_cm") is not None][::-1]


def _name_and_end(data: Path) -> tuple[str, str]:
    """The name of a file without its end, and the end that a masked table gets."""
    lower = data.name.lower()
    end = max((suffix for suffix in _WRITABLE if lower.endswith(suffix)), key=len, default="")
    return (data.name[: -len(end)], end) if end else (data.stem, ".csv")


def _seen_from(path: Path, folder: Path) -> str:
    """A path as the job file names it; absolute where there is no way from one to the other (Windows drives)."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:
        return path.resolve().as_posix()
