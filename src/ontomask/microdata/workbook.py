"""Excel files, checked before they are read: how much they unpack to, and how far out their cells lie."""

from __future__ import annotations

import re
from pathlib import Path

from ontomask.base.limits import UnpackedTooLargeError, check_zip, unpacked_limit

__all__ = ["check_workbook"]

# The place of a row or a cell: r="12" or r="AB12".
_PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]*)(\d+)["']""")
_LONGEST_PLACE = 64
_CELL_BYTES = 16


def check_workbook(path: Path) -> None:
    """Refuse a workbook that would take far more memory than its size suggests.

    A reader makes a full rectangle of a sheet's cells, so that two cells, the first and the last that a sheet can have,
    take hundreds of gigabytes.
    """
    limit = unpacked_limit(path.stat().st_size)
    extents: dict[str, _Extent] = {}

    def look(name: str, block: bytes) -> None:
        if name.lower().startswith("xl/worksheets/"):
            extent = extents.setdefault(name, _Extent())
            extent.add(block)
            if extent.rows * extent.columns * _CELL_BYTES > limit:
                raise UnpackedTooLargeError(limit)

    check_zip(path, look)


class _Extent:
    """The last row and the last column of a sheet, from its XML, block by block."""

    def __init__(self) -> None:
        self.rows = self.columns = 1
        self._rest = b""

    def add(self, block: bytes) -> None:
        """Look at a further block; a place may begin at the end of the one before."""
        text = self._rest + block
        found = set(_PLACE.findall(text))
        self._rest = text[-_LONGEST_PLACE:]
        self.rows = max([self.rows, *(int(row[:12]) for _, row in found)])
        self.columns = max([self.columns, *(_number(letters) for letters, _ in found)])


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters.upper()[:8]:
        number = 26 * number + letter - 64
    return number
