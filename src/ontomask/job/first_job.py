"""Draft a first job file for a table. Every guess is marked, and the job runs only after each is confirmed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from ontomask.base.atomic import write_atomic
from ontomask.job.column_guesses import Guess, Profile, guess_column, profile
from ontomask.job.outputs import Outputs
from ontomask.job.sources import EMBEDDED, open_taxonomy
from ontomask.job.toml_text import toml_comment, toml_key, toml_table, toml_value
from ontomask.microdata import frames, read_table
from ontomask.microdata.decimals import comma_columns, with_points
from ontomask.microdata.files import READ_ONLY, delimiter_of, extension_of

__all__ = ["JobDraft", "draft_job"]

# The first lines of a draft: what a person has to do.
_TO_DO = """\
# It does not run yet:
#
# 1. Decide what every undecided column is, and write it as its role:
#      "identifier"        identifies a person by itself, or is not needed: removed
#      "quasi-identifier"  others may know it about a person: masked; needs a kind
#      "confidential"      nobody may learn it about a person: kept, and measured
#      "other"             nobody can know it about a person: kept unchanged. If in doubt, do not choose this one.
#    Replace FILE by your own CSV file with the columns child and parent, a row for each link.
# 2. Check each guess, marked 'confirmed = false'. Correct it and write 'confirmed = true'.
#
# 'ontomask map' with this file shows how the values are mapped, and what is still to do."""


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
    commas
        The columns whose numbers seem to have a decimal comma, if the user gave no decimal mark.
    """

    data: Path
    reading: Mapping[str, str]
    profiles: Mapping[str, Profile]
    guesses: Mapping[str, Guess]
    ontologies: Mapping[str, Path]
    commas: tuple[str, ...] = ()

    def text(self, folder: Path) -> str:
        """The content of the job file, which will be in ``folder``."""
        extension = extension_of(self.data)
        stem = self.data.name[: -len(extension)]
        masked = f"{stem}-masked{'.csv' if extension in READ_ONLY else extension}"
        blocks = [
            f"# A first job for {toml_comment(self.data.name)}, written by 'ontomask init'.\n{_TO_DO}",
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

    def _input(self, folder: Path) -> str:
        keys = {"path": _relative_path(self.data, folder), **self.reading}
        if not self.commas:
            return toml_table("input", keys)
        comment = f"# Guessed: the decimal comma, from the numbers of {toml_comment(', '.join(self.commas))}.\n"
        return comment + toml_table("input", {**keys, "decimal": ",", "confirmed": False})

    def _column(self, name: str) -> str:
        guess, seen = self.guesses[name], self.profiles[name].evidence
        is_decided = guess.role != "undecided"
        comments = [f"{'Guessed' if is_decided else 'Undecided'}: {guess.why}; {seen}."]
        comments += [guess.advice] if guess.advice else []
        if guess.suggested:
            keys = {"role": "quasi-identifier", **guess.suggested}
            listed = ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in keys.items())
            comments.append(f"If others may know it: {listed}")
        table = {"role": guess.role, **guess.keys, "confirmed": False} if is_decided else {"role": guess.role}
        lines = [f"# {toml_comment(comment)}" for comment in comments]
        return "\n".join([*lines, toml_table(f"columns.{toml_key(name)}", table)])

    def _policies(self) -> str:
        """The policies. By default missing cells are an error, which is the safe choice."""
        tokens = list(dict.fromkeys(token for column in self.profiles.values() for token in column.tokens))
        lacking = [f"{column.name} ({column.missing:,})" for column in self.profiles.values() if column.missing]
        where = f" Missing cells: {toml_comment(', '.join(lacking))}." if lacking else " No cell is missing."
        lines = [f'# For cells to be masked. missing: "error", "keep" or "drop"; unmapped: also "root".{where}']
        if tokens:
            found = ", ".join(
                f"{token!r} ({count:,} in {column.name})"
                for token in tokens
                for column in self.profiles.values()
                if (count := column.tokens.get(token))
            )
            lines.append(f"# Guessed to mean a missing cell: {toml_comment(found)}.")
            lines.append("# Remove real values from missing_tokens.")
        keys = {"missing": "error", "missing_tokens": tokens, "unmapped": "error", "confirmed": False}
        return "\n".join([*lines, toml_table("policies", keys)])

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the job file atomically."""
        outputs = Outputs({"the job": path}, {"the table": self.data}, overwrite)
        content = self.text(path.parent).encode()
        with outputs.writing() as drafts:
            write_atomic(drafts["the job"], content)


def draft_job(
    data: Path, ontologies: Sequence[str] = (), reading: Mapping[str, str] = MappingProxyType({})
) -> JobDraft:
    """Examine a table and draft a job for it.

    Parameters
    ----------
    data
        The file of the table.
    ontologies
        Names of embedded ontologies, or paths; by default all embedded ones are tried.
    reading
        Keys of the job's ``input`` besides the path: ``delimiter``, ``encoding``, ``decimal``, ``sheet``.
    """
    frame = read_table(data, **reading)  # type: ignore[arg-type]
    commas: list[str] = []
    # If the comma is the delimiter, a comma inside a number more likely separates thousands.
    if "decimal" not in reading and (reading.get("delimiter") or delimiter_of(data)) not in (None, ","):
        commas = comma_columns(frame)
        frame = with_points(frame, commas)
    names = {name if name in EMBEDDED else Path(name).stem: name for name in ontologies or _default_ontologies()}
    files = {short: Path(name) for short, name in names.items() if name not in EMBEDDED}
    loaders = {short: cache(partial(open_taxonomy, name)) for short, name in names.items()}
    if ontologies:
        for load in loaders.values():
            load()
    profiles = {name: profile(frame, name) for name in frames.columns(frame)}
    guesses: dict[str, Guess] = {}
    for name, column in profiles.items():
        guess = guess_column(column, loaders)
        if "person" in guess.keys and any("person" in earlier.keys for earlier in guesses.values()):
            guess = replace(guess, keys={})
        guesses[name] = guess
    return JobDraft(data, reading, profiles, guesses, files, tuple(commas))


def _default_ontologies() -> list[str]:
    """The ontologies of the package, and ICD-10-CM if its extra is installed."""
    return [name for name in EMBEDDED if name != "icd10cm" or find_spec("simple_icd_10_cm") is not None][::-1]


def _relative_path(path: Path, folder: Path) -> str:
    """A path relative to the job file; absolute if they are on different Windows drives."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:
        return path.resolve().as_posix()
