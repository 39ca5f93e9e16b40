"""Large arrays that may not fit into memory."""

from __future__ import annotations

from shutil import disk_usage
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.progress import progress
from ontomask.errors import MaskingError

__all__ = ["room_for"]

# Larger arrays than this (512 MiB) are kept in a temporary file, mapped into memory.
_IN_MEMORY = 2**29
# Bytes written at a time.
_AT_ONCE = 2**25


def room_for(cells: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array for distances, in memory or in a temporary file that is deleted with it."""
    size = cells * dtype.itemsize
    if size <= _IN_MEMORY:
        return np.empty(cells, dtype=dtype)
    if size > disk_usage(gettempdir()).free:
        raise _disk_full(size)
    with TemporaryFile() as file, progress("Reserving room for distances", size) as advance:
        try:
            # Written, not only reserved: a full disk must show now, not when a page is touched.
            for start in range(0, size, _AT_ONCE):
                advance(file.write(bytes(min(_AT_ONCE, size - start))))
            file.flush()
        except OSError as error:
            raise _disk_full(size) from error
        return np.asarray(np.memmap(file, dtype=dtype, mode="r+", shape=(cells,)))


def _disk_full(size: int) -> MaskingError:
    return MaskingError(
        f"The distances between all values need {size / 1e9:,.1f} GB in the folder for temporary files, which has "
        f"less. Choose a larger one (environment variable TMPDIR), or map values to fewer concepts.",
        code="disk-full",
    )
