"""Atomic file writes: a crash or a full disk never leaves a partial file."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ontomask.errors import OntomaskError

__all__ = ["save_atomic", "write_atomic"]


def _umask() -> int:
    """The process's umask. The only way to read it is to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_atomic(path: Path, content: bytes | Callable[[IO[bytes]], None], *, mode: int | None = None) -> None:
    """Write a file atomically: write a temporary file in the same folder, readable by its owner only, then rename it.

    ``content`` is bytes, or a function that writes to the open file. Without a ``mode``, an existing file keeps its
    permissions and a new one gets those of the user's umask.
    """
    if mode is None:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                content(file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def save_atomic(
    path: Path, content: bytes | Callable[[IO[bytes]], None], error: type[OntomaskError], *, mode: int | None = None
) -> None:
    """As `write_atomic`, for a path that the user gave: raises ``error`` with the reason if it cannot be written."""
    try:
        write_atomic(path, content, mode=mode)
    except FileNotFoundError:
        text = f"The folder {path.parent} does not exist. Create it first."
        raise error(text, path=path, parameter="path", code="no-folder") from None
    except OSError as problem:
        text = f"Cannot be written: {problem.strerror or problem}. Check the free space and your permissions."
        raise error(text, path=path, parameter="path", code="not-written") from problem
