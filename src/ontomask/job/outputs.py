"""Output files: all or none are written. Inputs are never overwritten, other files only if that is allowed."""

from __future__ import annotations

import tempfile
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontomask.base.drafts import DraftFolder, keep_former, restore_former
from ontomask.base.progress import check_cancelled
from ontomask.engines.files import is_table_folder
from ontomask.errors import Setting, TableError
from ontomask.microdata import frames, write_table

__all__ = ["REPORTS", "Outputs", "try_format"]

REPORTS = (".html", ".json", ".txt")
"""Extensions of report files."""


@dataclass(frozen=True)
class Outputs:
    """Files that belong together.

    Attributes
    ----------
    files
        The paths, by a description for messages.
    inputs
        The files that were read, by a description.
    overwrite
        Whether existing files may be replaced.
    folders
        The descriptions of those that may be a folder of table files.
    """

    files: Mapping[str, Path]
    inputs: Mapping[str, Path]
    overwrite: bool = False
    folders: Container[str] = ()

    def check(self) -> None:
        """Check that the files can and may be written. Nothing is written yet."""
        taken: dict[Path, str] = {}
        for what, path in self.files.items():
            try:
                path.lstat()
            except FileNotFoundError:
                pass
            except (OSError, ValueError) as problem:
                # The name is too long or invalid.
                why = problem.strerror if isinstance(problem, OSError) else problem
                raise TableError(
                    f"It cannot be written: {why}. Give another name.", path=path, code="not-written"
                ) from None
            resolved = path.resolve()
            if resolved in taken:
                raise TableError(
                    f"It would be both {taken[resolved]} and {what}. Give another name.", path=path, code="two-outputs"
                )
            taken[resolved] = what
            for other, source in self.inputs.items():
                if path.exists() and source.exists() and path.samefile(source):
                    text = f"It is {other}, and inputs are never overwritten. Give {what} another name."
                    raise TableError(text, path=path, code="is-an-input")
            if path.is_dir() and what not in self.folders:
                raise TableError(
                    f"This is a folder, not a file. Give {what} the name of a file.", path=path, code="is-a-folder"
                )
            if path.is_dir() and not is_table_folder(path):
                text = f"This folder holds other files than those of a table. Give {what} another name."
                raise TableError(text, path=path, code="not-a-table")
            if not path.parent.is_dir():
                raise TableError(
                    f"The folder {str(path.parent)!r} does not exist. Make it first.", path=path, code="no-folder"
                )
            if path.exists() and not self.overwrite:
                raise TableError(
                    "The file exists already. Give another name, or allow replacing it: ",
                    Setting("output", "overwrite", values=[True]),
                    ".",
                    path=path,
                    parameter="overwrite",
                    code="exists",
                )

    @contextmanager
    def writing(self) -> Iterator[dict[str, Path]]:
        """Yields draft paths to write to. At the end all drafts replace their targets; on any error none does.

        The drafts are in a folder beside each target (see `ontomask.base.drafts`), so the last step is a rename.
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
                        text = f"It cannot be written: {why}. Check your permissions."
                        raise TableError(text, path=path, code="not-written") from None
            drafts = {what: folders[path.parent].path / path.name for what, path in self.files.items()}
            yield drafts
            check_cancelled()
            for what, path in self.files.items():
                former = folders[path.parent].path / f"former {path.name}" if path.exists() else None
                # Recorded first, so that an interruption between the steps is also undone.
                placed.append((path, former))
                if former is not None:
                    keep_former(path, former, drafts[what])
                drafts[what].replace(path)
        except BaseException:
            for path, former in reversed(placed):
                restore_former(path, former)
            raise
        finally:
            for folder in folders.values():
                folder.remove()


def try_format(path: Path, **options: Any) -> None:
    """Write a tiny table to check that the format can be written and its extra is installed.

    ``options`` are those of `ontomask.write_table`.
    """
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / path.name
        try:
            write_table(frames.from_columns({"a": ["b"]}, "polars"), trial, **options)
        except TableError as problem:
            raise TableError(*problem.message, path=path, parameter=problem.parameter) from None
