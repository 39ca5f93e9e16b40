"""Output files: all of them whole, or none; never over an input, and over others only where that is asked for."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ontomask.errors import TableError

__all__ = ["Outputs"]


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
            whole = path.resolve()
            if whole in taken:
                raise TableError(f"{path}: would be both {taken[whole]} and {what}. Give another name.")
            taken[whole] = what
            for other, source in self.inputs.items():
                if path.exists() and source.exists() and path.samefile(source):
                    raise TableError(f"{path}: is {other}, which is never written over. Give {what} another name.")
            if path.is_dir():
                raise TableError(f"{path}: this is a folder, not a file.")
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

        A temporary folder beside each target, so that the last step is a rename.
        """
        self.check()
        folders: dict[Path, Path] = {}
        placed: list[tuple[Path, Path | None]] = []
        try:
            for path in self.files.values():
                if path.parent not in folders:
                    try:
                        folders[path.parent] = Path(tempfile.mkdtemp(dir=path.parent, prefix=".ontomask-"))
                    except OSError as problem:
                        raise TableError(f"{path}: cannot be written: {problem.strerror or problem}.") from None
            drafts = {what: folders[path.parent] / path.name for what, path in self.files.items()}
            yield drafts
            for what, path in self.files.items():
                former = folders[path.parent] / f"former {path.name}" if path.exists() else None
                # Noted first, so that an interruption between the two steps is undone as well.
                placed.append((path, former))
                if former is not None:
                    path.rename(former)
                drafts[what].rename(path)
        except BaseException:
            for path, former in reversed(placed):
                _take_back(path, former)
            raise
        finally:
            for folder in folders.values():
                shutil.rmtree(folder, ignore_errors=True)


def _take_back(path: Path, former: Path | None) -> None:
    """Undo the placing of a file, however far it came."""
    if former is None:
        path.unlink(missing_ok=True)
    elif former.exists():
        former.replace(path)
