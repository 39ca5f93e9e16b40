"""The private file of a run: it repeats the run and restores the order of its rows. Only the owner may have it."""

from __future__ import annotations

import hashlib
import platform
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.base.atomic import write_atomic
from ontomask.base.limits import irregular
from ontomask.base.notes import Note
from ontomask.errors import Choice, PlanError, Setting, TableError
from ontomask.job.sources import Sources
from ontomask.job.toml_text import toml_table
from ontomask.masking.writing import row_order
from ontomask.microdata import frames
from ontomask.microdata.formulas import Formulas

__all__ = ["PrivateFile", "earlier_runs", "file_hash", "order_seed", "private_path", "read_output", "was_written_by"]

_HEAD = (
    "# PRIVATE. This file holds the seed of a masking run. Anybody who has it and the data can repeat the run and "
    "learn how each record was masked. Do not release it with the masked table or the report.",
    "# 'ontomask mask JOB.toml --repeat FILE' with this file does the run again.",
)
_HEAD_OF_ORDER = (
    "# PRIVATE. This file holds the seed of the order of rows, so that the masked table can be compared with the "
    "input. The masking itself cannot be repeated: its random numbers were not kept. Do not release this file.",
)
_OUTPUT = ("masked", "order", "formulas")
_PACKAGES = ("ontomask", "numpy", "numba", "polars")


def file_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def private_path(masked: Path) -> Path:
    """The default path of the private file, beside the masked table.

    >>> private_path(Path("out/masked.csv.gz")).as_posix()
    'out/masked.private.toml'
    """
    return masked.with_name(f"{masked.name.split('.')[0]}.private.toml")


def order_seed(seed: int, files: Mapping[str, str]) -> int:
    """The seed of the row order, derived from the seed of a run and the hashes of all files that were read.

    Two jobs, or two versions of a table, may be masked with the same seed. If their rows had the same order, the
    releases could be joined row by row.

    >>> order_seed(7, {"the job": "a"}) == order_seed(7, {"the job": "b"})
    False
    """
    text = repr((int(seed), sorted(files.items())))
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def earlier_runs(folder: Path, files: Mapping[str, str], seed: int | None) -> list[Path]:
    """The private files in a folder that belong to other runs on the same input."""
    found = []
    for path in sorted(folder.glob("*.private.toml")):
        try:
            private = PrivateFile.load(path)
        except PlanError:
            continue  # another file with such a name
        is_same = private.seed == seed and private.files == files
        if private.files.get("the input") == files["the input"] and not is_same:
            found.append(path)
    return found


def _versions() -> dict[str, str]:
    """Versions of the software that a result may depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    return found | {package: version(package) for package in _PACKAGES}


@dataclass(frozen=True, repr=False)
class PrivateFile:
    """The content of a private file.

    Attributes
    ----------
    seed
        The seed of the run.
    files
        The SHA-256 of the files that were read, by a description. Ontologies in folders are not included.
    output
        Facts about the masked table: its SHA-256 (``masked``), the ``order`` of its rows, and how ``formulas`` were
        written.
    versions
        The versions of the software.
    """

    seed: int
    files: Mapping[str, str]
    output: Mapping[str, str]
    versions: Mapping[str, str] = field(default_factory=_versions)

    def __repr__(self) -> str:
        # The seed must not end up in logs.
        return "<PrivateFile>"

    def save(self, path: Path, *, repeats: bool = True) -> None:
        """Write the file atomically, readable only by its owner (mode 0600).

        Parameters
        ----------
        path
            The file.
        repeats
            Whether the seed repeats the masking, and not only the order of rows. The file says which.
        """
        lines = [
            *(_HEAD if repeats else _HEAD_OF_ORDER),
            "",
            # A string, since many TOML readers cannot read integers of this size.
            f'seed = "{self.seed}"',
            "",
            toml_table("sha256", self.files),
            "",
            toml_table("output", self.output),
            "",
            toml_table("versions", self.versions),
            "",
        ]
        try:
            write_atomic(path, "\n".join(lines).encode(), mode=0o600)
        except OSError as problem:
            why = problem.strerror or problem
            text = f"It cannot be written: {why}. Check the free space and your permissions."
            raise PlanError(text, path=path, code="not-written") from problem

    @classmethod
    def load(cls, path: Path) -> PrivateFile:
        """Read a private file."""
        reason = irregular(path)
        if reason is not None:
            raise PlanError(f"It {reason}.", path=path, code="not-a-file")
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            # Version 0.1 wrote no such table, and kept the order of the rows.
            output = {what: content["output"][what] for what in _OUTPUT} if "output" in content else {}
            seed, files, versions = int(content["seed"]), dict(content["sha256"]), dict(content["versions"])
            texts = (*files.values(), *versions.values(), *output.values())
            if seed < 0 or not all(isinstance(text, str) for text in texts):
                raise ValueError
            return cls(seed, files, output, versions)
        except OSError as problem:
            text = f"It cannot be read: {problem.strerror or problem}. Check its name."
            raise PlanError(text, path=path, code="unreadable") from None
        except (ValueError, LookupError, TypeError, RecursionError):
            text = "It is damaged, or not a private file. Give the one that was written with the masked table."
            raise PlanError(text, path=path, code="damaged") from None

    def check(self, path: Path, files: Mapping[str, str]) -> tuple[Note, ...]:
        """Check that the run can be repeated with these files. Returns a note if the software has changed."""
        other = [what for what, text in files.items() if self.files.get(what) != text]
        if other:
            changed = " and ".join(other)
            text = f"The run cannot be repeated: {changed} changed since. Use the former files, or start a new run."
            raise PlanError(text, path=path, values=other, code="changed")
        changes = [
            f"{what} {self.versions.get(what)} → {now}"
            for what, now in _versions().items()
            if self.versions.get(what) != now
        ]
        text = "The software changed since the run that is repeated: {changes}."
        return (Note.of("software-changed", text, changes=", ".join(changes)),) if changes else ()


def read_output(
    sources: Sources, masked: Path, output: Path, default: Path, *, private: Path | None, ordered: bool
) -> Any:
    """Read a masked table. The job's own output is returned in the order of the original.

    Parameters
    ----------
    sources
        The inputs of the job, which know how tables are read and written.
    masked
        The file.
    output, default
        The masked table and the private file that the job writes.
    private
        The private file of the run that wrote the table, if it is not the ``default``.
    ordered
        Whether the order matters.
    """
    given = sources.settings.output
    known = _load(default) if private is None else PrivateFile.load(private)
    if known is not None and masked.is_file() and known.output.get("masked") == file_hash(masked):
        formulas: Formulas = "escape" if known.output["formulas"] == "escape" else "as_is"
        frame = sources.read_masked(masked, is_own=True, formulas=formulas)
        if not ordered or known.output["order"] == "as_is":
            return frame
        if known.output["order"] == "engine":
            raise TableError(
                "An engine wrote its rows in random order, and their positions in the original are not known. Give ",
                Setting("key", about="a column that identifies a record in both tables"),
                ".",
                path=masked,
                code="other-order",
            )
        order = row_order(frames.length(frame), order_seed(known.seed, known.files))
        return frames.take_rows(frame, np.argsort(order))
    if private is not None:
        raise PlanError(
            f"It does not belong to the run that wrote {masked}. Give the one that does.",
            path=private,
            code="other-run",
        )
    own = masked.exists() and output.exists() and masked.samefile(output)
    # Version 0.1 kept the order of the rows and wrote cells unescaped.
    if not own or (known is not None and not known.output):
        return sources.read_masked(masked, is_own=own, formulas="as_is")
    if ordered and given.order == "shuffled":
        raise TableError(
            f"Its rows are in random order, and {default} does not restore it: that file is missing, cannot be read, "
            f"or belongs to another run. Give ",
            Choice(
                Setting("private", about="the private file of the run that wrote the table"),
                Setting("key", about="a column that identifies a record in both tables"),
            ),
            ".",
            path=masked,
            code="other-order",
        )
    return sources.read_masked(masked, is_own=True, formulas=given.formulas)


def was_written_by(masked: Path, private: Path, job: str) -> bool:
    """Whether the run of a private file wrote a masked table, from a job file with this hash."""
    known = _load(private)
    return (
        known is not None
        and masked.is_file()
        and known.files.get("the job") == job
        and known.output.get("masked") == file_hash(masked)
    )


def _load(path: Path) -> PrivateFile | None:
    """A private file, or ``None`` if it is missing or unreadable."""
    try:
        return PrivateFile.load(path)
    except PlanError:
        return None
