"""Limits on input files: regular files only, and a maximum unpacked size for compressed ones.

A gzip or zip file of a few kilobytes can unpack to gigabytes. By default a file may unpack to 64 MB, or to 100 times
its own size if that is more. The environment variable ``ONTOMASK_MAX_UNPACKED_MB`` sets another limit.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

__all__ = ["UnpackedTooLargeError", "check_zip", "irregular", "is_unpacked", "open_gzip", "unpacked_limit"]

VARIABLE = "ONTOMASK_MAX_UNPACKED_MB"
_MEGABYTE = 1 << 20
_FLOOR = 64 * _MEGABYTE
_RATIO = 100
_BLOCK = 1 << 20


class UnpackedTooLargeError(OSError):
    """A compressed file unpacks to more than the limit. An `OSError`, like other damage to a file."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"It unpacks to more than {limit // _MEGABYTE:,} MB, which is far more than its size suggests. "
            f"If you trust the file, set the environment variable {VARIABLE} to the megabytes to allow"
        )


def irregular(path: Path) -> str | None:
    """Why a path cannot be read as a file: it is a device, a pipe or a socket. ``None`` if it can.

    A device such as ``/dev/zero`` never ends. A pipe can be read only once, but recognising a format takes an extra
    read. A path that does not exist is reported by the code that opens it.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return "is not a regular file but a device, a pipe or a socket. Save the data to a file and give that"


def unpacked_limit(size: int) -> int:
    """The number of bytes that a compressed file of ``size`` bytes may unpack to."""
    given = os.environ.get(VARIABLE, "")
    return int(given) * _MEGABYTE if given.isascii() and given.isdecimal() else max(_FLOOR, _RATIO * size)


class _GzipStream(io.RawIOBase):
    """The unpacked bytes of a gzip file, up to the limit."""

    def __init__(self, path: Path, packed: IO[bytes]) -> None:
        self._packed = packed
        self._file = gzip.GzipFile(fileobj=packed, mode="rb")
        self._left = self._limit = unpacked_limit(path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise UnpackedTooLargeError(self._limit)
        return count

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()


def open_gzip(path: Path, packed: IO[bytes]) -> io.BufferedReader:
    """Unpack a gzip file that is open. Reading beyond the limit raises `UnpackedTooLargeError`."""
    return io.BufferedReader(_GzipStream(path, packed), _BLOCK)


def is_unpacked(file: IO[bytes]) -> bool:
    """Whether a file was opened by `open_gzip`."""
    return isinstance(getattr(file, "raw", None), _GzipStream)


def check_zip(path: Path, look: Callable[[str, bytes], None] | None = None) -> None:
    """Unpack every member of a zip archive block by block, and raise `UnpackedTooLargeError` beyond the limit.

    The sizes in the archive's directory are not trusted: other readers unpack to the end of the data.

    Parameters
    ----------
    path
        The archive.
    look
        Called with the name of each member and each of its blocks.
    """
    limit = unpacked_limit(path.stat().st_size)
    total = 0
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        if sum(member.file_size for member in archive.infolist()) > limit:
            raise UnpackedTooLargeError(limit)
        for member in archive.infolist():
            for block in _blocks(file, member):
                total += len(block)
                if total > limit:
                    raise UnpackedTooLargeError(limit)
                if look is not None:
                    look(member.filename, block)


def _blocks(file: IO[bytes], member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content of a member, unpacked to the end of its compressed data."""
    file.seek(member.header_offset)
    name, extra = struct.unpack("<26x2H", file.read(30))
    file.seek(name + extra, os.SEEK_CUR)
    left = member.compress_size
    if member.compress_type == zipfile.ZIP_STORED:
        while block := file.read(min(_BLOCK, left)):
            left -= len(block)
            yield block
        return
    if member.compress_type != zipfile.ZIP_DEFLATED:
        raise zipfile.BadZipFile("compressed in a way that is not supported")
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    while not inflate.eof:
        packed = inflate.unconsumed_tail
        if not packed:
            packed = file.read(min(_BLOCK, left))
            left -= len(packed)
        if not packed:
            raise EOFError("the archive breaks off")
        yield inflate.decompress(packed, _BLOCK)
