"""Output files: all of them whole, or none; never over an input, and over others only where that is asked for."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontomask.base.drafts import DraftFolder
from ontomask.errors import TableError
from ontomask.microdata import frames, write_table

__all__ = ["REPORTS", "Outputs", "try_format"]

REPORTS = (".html", ".json", ".txt")
"""How the name of a report may end."""


@dataclass(frozen=True)
class Outputs:
    """Files that belong together.

    Attributes
    ----------
    files
        By what each is (for messages), where it goes.
    inputs
        By what each is, the files that were read.
    overwrite
        Whether files that are there may be replaced.
    """

    files: Mapping[str, Path]
    inputs: Mapping[str, Path]
    overwrite: bool = False

    def check(self) -> None:
        """Refuse what could not be written, or must not be; nothing is written yet."""
        taken: dict[Path, str] = {}
        for what, path in self.files.items():
            try:
                path.lstat()
            except FileNotFoundError:
                pass
            except (OSError, ValueError) as problem:
                # A name that is too long, or that no file can have.
                why = problem.strerror if isinstance(problem, OSError) else problem
                raise TableError(f"{path}: cannot be written: {why}. Give another name.") from None
            whole = path.resolve()
            if whole in taken:
                raise TableError(f"{path}: would be both {taken[whole]} and {what}. Give another name.")
            taken[whole] = what
            for other, source in self.inputs.items():
                if path.exists() and source.exists() and path.samefile(source):
                    raise TableError(f"{path}: is {other}, which is never written over. Give {what} another name.")
            if path.is_dir():
                raise TableError(f"{path}: this is a folder, not a file. Give {what} the name of a file.")
            if not path.parent.is_dir():
                raise TableError(f"{path}: the folder {str(path.parent)!r} does not exist. Make it first.")
            if path.exists() and not self.overwrite:
                raise TableError(
                    f"{path}: the file exists already. Give another name, or allow it to be replaced: --force on the "
                    f"command line, overwrite=True in Python, overwrite = true in a job."
                )

    @contextmanager
    def writing(self) -> Iterator[dict[str, Path]]:
        """Write the files where this says; at the end all are put in their places, on any error none is.

        They are written into a draft folder beside each target (see `ontomask.base.drafts`), so that the last step is a
        rename.
        """
        self.check()
        folders: dict[Path, DraftFolder] = {}
        placed: list[tuple[Path, Path | None]] = []
        try:
            for path in self.files.values():
                if path.parent not in folders:
                    try:
                        folders[path.parent] = DraftFolder.create(path.parent)
                    except OSError as problem:
                        why = problem.strerror or problem
                        raise TableError(f"{path}: cannot be written: {why}. Check that you may write there.") from None
            drafts = {what: folders[path.parent].path / path.name for what, path in self.files.items()}
            yield drafts
            for what, path in self.files.items():
                former = folders[path.parent].path / f"former {path.name}" if path.exists() else None
                if former is not None:
                    _copy(path, former)
                # Noted first, so that an interruption between the two steps is undone as well.
                placed.append((path, former))
                drafts[what].replace(path)
        except BaseException:
            for path, former in reversed(placed):
                _take_back(path, former)
            raise
        finally:
            for folder in folders.values():
                folder.remove()


def _copy(path: Path, former: Path) -> None:
    """Another name for a file that is about to be replaced, so that it is never away; a copy where links cannot be."""
    try:
        os.link(path, former)
    except OSError:
        shutil.copy2(path, former)


def _take_back(path: Path, former: Path | None) -> None:
    """Undo the placing of a file, however far it came."""
    if former is None:
        path.unlink(missing_ok=True)
    elif former.exists():
        former.replace(path)


def try_format(path: Path, **options: Any) -> None:
    """Refuse a format that cannot be written, or whose extra is not installed: tried on the smallest table.

    ``options`` are those of `ontomask.write_table`.
    """
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / path.name
        try:
            write_table(frames.from_columns({"a": ["b"]}, "polars"), trial, **options)
        except TableError as problem:
            raise TableError(str(problem).replace(str(trial), str(path))) from None
