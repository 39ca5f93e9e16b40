"""The private file of a run: what repeats it, for its owner alone."""

from __future__ import annotations

import hashlib
import platform
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from ontomask.base.atomic import write_atomic
from ontomask.base.limits import irregular
from ontomask.base.notes import Note
from ontomask.errors import PlanError
from ontomask.job.toml_text import toml_table

__all__ = ["Private", "digest", "earlier_runs", "order_seed", "private_name"]

_FIRST_LINE = (
    "# PRIVATE. This file holds the seed of a masking run: whoever has it and the data can repeat the run, "
    "and learns from it what was masked how. Do not release it with the masked table or the report."
)
_OUTPUT = ("masked", "order", "formulas")
_PACKAGES = ("ontomask", "numpy", "numba", "polars")


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def private_name(masked: Path) -> Path:
    """The private file's name beside a masked table.

    >>> private_name(Path("out/masked.csv.gz")).as_posix()
    'out/masked.private.toml'
    """
    return masked.with_name(f"{masked.name.split('.')[0]}.private.toml")


def order_seed(seed: int, files: Mapping[str, str]) -> int:
    """The seed of the order of rows. It follows from a run's seed and from all files that were read.

    Two jobs, or two versions of a table, may be masked with one seed. If their rows had the same order, the releases
    could be joined row by row.

    >>> order_seed(7, {"the job": "a"}) == order_seed(7, {"the job": "b"})
    False
    """
    text = repr((int(seed), sorted(files.items())))
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def earlier_runs(folder: Path, files: Mapping[str, str], seed: int | None) -> list[Path]:
    """The private files in a folder of runs that masked the same input, but for the same run made before."""
    found = []
    for path in sorted(folder.glob("*.private.toml")):
        try:
            private = Private.load(path)
        except PlanError:
            # Not one of ours.
            continue
        is_same = private.seed == seed and private.files == files
        if private.files.get("the input") == files["the input"] and not is_same:
            found.append(path)
    return found


def _versions() -> dict[str, str]:
    """The software that a result may depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    return found | {package: version(package) for package in _PACKAGES}


@dataclass(frozen=True, repr=False)
class Private:
    """What repeats a run.

    Attributes
    ----------
    seed
        Of all that was drawn.
    files
        By what each is, the SHA-256 of the files that were read; ontologies in folders are not among them.
    output
        About the masked table: its SHA-256 (``masked``), the ``order`` of its rows, and how ``formulas`` were written.
    versions
        The software's.
    """

    seed: int
    files: Mapping[str, str]
    output: Mapping[str, str]
    versions: Mapping[str, str] = field(default_factory=_versions)

    def __repr__(self) -> str:
        # A seed is not for logs.
        return "<Private: what repeats a run>"

    def save(self, path: Path) -> None:
        """Write it whole or not at all, readable by its owner alone (mode 0600)."""
        lines = [
            _FIRST_LINE,
            "# 'ontomask mask JOB.toml --repeat FILE' with this file does the run again.",
            "",
            # A text, since many readers of TOML hold no whole numbers of this size.
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
            raise PlanError(
                f"{path}: cannot be written: {why}. Check that there is room, and that you may."
            ) from problem

    @classmethod
    def load(cls, path: Path) -> Private:
        """Read a private file again."""
        reason = irregular(path)
        if reason is not None:
            raise PlanError(f"{path}: {reason}.")
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            # Version 0.1 wrote no such table, and rows in the order of the original.
            output = {what: content["output"][what] for what in _OUTPUT} if "output" in content else {}
            seed, files, versions = int(content["seed"]), dict(content["sha256"]), dict(content["versions"])
            texts = (*files.values(), *versions.values(), *output.values())
            if seed < 0 or not all(isinstance(text, str) for text in texts):
                raise ValueError
            return cls(seed, files, output, versions)
        except OSError as problem:
            raise PlanError(f"{path}: cannot be read: {problem.strerror or problem}. Check its name.") from None
        except (ValueError, LookupError, TypeError, RecursionError):
            raise PlanError(
                f"{path}: is damaged, or no private file of a run. Give the one that was written with the masked table."
            ) from None

    def check(self, path: Path, files: Mapping[str, str]) -> tuple[Note, ...]:
        """Refuse to repeat a run of other files; a note where the software is another."""
        other = [what for what, text in files.items() if self.files.get(what) != text]
        if other:
            raise PlanError(
                f"{path}: cannot repeat the run: {' and '.join(other)} changed since. Bring back what was read then, "
                f"or run anew."
            )
        changed = [
            f"{what} {self.versions.get(what)} → {now}"
            for what, now in _versions().items()
            if self.versions.get(what) != now
        ]
        text = "the software changed since the run that is repeated: {changes}."
        return (Note.of("software-changed", text, changes=", ".join(changed)),) if changed else ()
