"""Draft folders: where files are written before they are put in place, and how those of killed runs are removed.

A draft folder lies beside the files that it is for, so that putting them in place is a rename. It carries a marker, and
is locked as long as its process lives. A later run removes a folder only if it has the marker, belongs to the same user
and is not locked. Folders that merely have such a name are left alone, and links are never followed.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["DraftFolder"]

_PREFIX = ".ontomask-"

_MARKER = "ontomask-drafts.txt"
_CONTENT = b"Drafts of an ontomask run. The next run removes this folder unless its own run is still going on.\n"


@dataclass(frozen=True)
class DraftFolder:
    """A private temporary folder (mode 0700), locked by this process.

    Attributes
    ----------
    path
        The folder.
    lock
        Its open descriptor, which holds the lock; ``None`` where the system has no such locks.
    """

    path: Path
    lock: int | None

    @classmethod
    def create(cls, parent: Path) -> DraftFolder:
        """Make a draft folder, and remove what killed runs left in the same place."""
        for left in parent.glob(f"{_PREFIX}*"):
            lock = _lock(left)
            if lock is not None:
                if _is_ours(left, lock):
                    cls(left, lock).remove()
                else:
                    os.close(lock)
        path = Path(tempfile.mkdtemp(dir=parent, prefix=_PREFIX))
        try:
            # Locked before it is marked: there is no moment at which another run could take it for abandoned.
            lock = _lock(path)
            (path / _MARKER).write_bytes(_CONTENT)
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        return cls(path, lock)

    def remove(self) -> None:
        """Remove the folder, even if the user interrupts that."""
        try:
            self._remove()
        except BaseException:
            self._remove()
            raise
        finally:
            if self.lock is not None:
                os.close(self.lock)

    def _remove(self) -> None:
        """The marker goes last, so that a removal that is cut short is completed by the next run."""
        with suppress(OSError):
            for entry in self.path.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry, ignore_errors=True)
                elif entry.name != _MARKER:
                    entry.unlink()
        shutil.rmtree(self.path, ignore_errors=True)


def _lock(folder: Path) -> int | None:
    """Lock a folder; ``None`` where another process has it, where it is a link, or where there are no such locks."""
    if fcntl is None:
        return None
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _is_ours(folder: Path, handle: int) -> bool:
    """Whether a locked folder is one that this package made for this user, and still has its name."""
    try:
        about = os.fstat(handle)
        if about.st_uid != os.geteuid() or not os.path.samestat(about, folder.lstat()):
            return False
        marker = os.open(_MARKER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
    except OSError:
        return False
    try:
        is_file = stat.S_ISREG(os.fstat(marker).st_mode)
        return is_file and os.read(marker, len(_CONTENT) + 1) == _CONTENT
    finally:
        os.close(marker)
