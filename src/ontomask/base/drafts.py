"""Draft folders: files are written here first, then moved to their destination.

A draft folder lies in the same folder as its destination, so that a move is a rename. It contains a marker file and is
locked while its process lives. A later run removes the draft folders of killed runs: those that have the marker, belong
to the same user and are not locked. Other folders with a similar name are left alone. Links are never followed.
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

__all__ = ["DraftFolder", "keep_former", "restore_former"]

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
        """Make a draft folder in ``parent``, and remove the draft folders of killed runs there."""
        for left in parent.glob(f"{_PREFIX}*"):
            lock = _lock(left)
            if lock is not None:
                if _is_ours(left, lock):
                    cls(left, lock).remove()
                else:
                    os.close(lock)
        path = Path(tempfile.mkdtemp(dir=parent, prefix=_PREFIX))
        try:
            # Locked before it is marked, so that no other run can ever take it for abandoned.
            lock = _lock(path)
            (path / _MARKER).write_bytes(_CONTENT)
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        return cls(path, lock)

    def remove(self) -> None:
        """Remove the folder, even if the user interrupts the removal."""
        try:
            self._remove()
        except BaseException:
            self._remove()
            raise
        finally:
            if self.lock is not None:
                os.close(self.lock)

    def _remove(self) -> None:
        """Remove the marker last, so that the next run completes an interrupted removal."""
        with suppress(OSError):
            for entry in self.path.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry, ignore_errors=True)
                elif entry.name != _MARKER:
                    entry.unlink()
        shutil.rmtree(self.path, ignore_errors=True)


def keep_former(path: Path, former: Path, draft: Path) -> None:
    """Save the former file or folder under another name. A file is linked, or copied if links are not supported."""
    if path.is_dir() or draft.is_dir():
        path.rename(former)  # A folder replaces nothing, and has no links.
        return
    try:
        os.link(path, former)
    except OSError:
        shutil.copy2(path, former)


def restore_former(path: Path, former: Path | None) -> None:
    """Undo the replacement of a file or folder, even an incomplete one."""
    if former is not None and not former.exists():
        return
    if path.is_dir():
        shutil.rmtree(path)
    if former is None:
        path.unlink(missing_ok=True)
    else:
        os.replace(former, path)  # noqa: PTH105


def _lock(folder: Path) -> int | None:
    """Lock a folder. ``None`` if another process holds the lock, the path is a link, or the system has no locks."""
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
    """Whether this package made the locked folder for this user, and it has not been renamed since."""
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
