"""Writing files whole or not at all, so that a crash or a full disk never leaves half of one."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

__all__ = ["write_atomic"]


def _umask() -> int:
    """The user's mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_atomic(path: Path, content: bytes | Callable[[IO[bytes]], None], *, mode: int | None = None) -> None:
    """Write a file whole or not at all: into a temporary neighbour that nobody else can read, then rename.

    The content is given as bytes, or by a function that writes it. Without a ``mode`` a file that is there keeps its
    own, and a new one gets what the user's umask leaves.
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
