"""The files of an RF2 release: their names, their folders and their rows."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import data_name
from ontomask.taxonomy.readers.tables import table

__all__ = ["ActiveRows", "find_files", "is_active", "is_release_file", "parse_date", "release_name", "snapshot_files"]

_NAME = re.compile(
    r"x?(?:sct2_(?P<core>Concept|Description|Relationship)_"
    r"|der2_cRefset_(?P<refset>Language|AttributeValue|[a-z]*Association))"
    r"[a-z]*(?P<type>Snapshot|Full|Delta)"
    r"(?:-[a-z-]+)?(?:_(?P<edition>[a-z0-9]+))?(?:_(?P<date>\d{8})\w*)?\.txt",
    re.IGNORECASE,
)
_TYPES = ("Snapshot", "Full", "Delta")

Files = dict[tuple[str, str], list[Path]]


def is_release_file(path: Path) -> bool:
    """Whether a file has the name of an RF2 file that this reader uses."""
    return _NAME.fullmatch(data_name(path)) is not None


def snapshot_files(path: Path) -> dict[str, list[Path]]:
    """The snapshot files by kind (``concept``, ``language``, …). Raises `ReadError` if a required kind is missing."""
    found = find_files(path)
    files = {kind: paths for (kind, release_type), paths in found.items() if release_type == "snapshot"}
    if not any(kind == "concept" for kind, _ in found):
        raise ReadError(
            "The folder has no RF2 concept file. Give the folder with a file such as "
            "sct2_Concept_Snapshot_INT_20250101.txt.",
            path=path,
            code="no-file",
        )
    if "concept" not in files:
        others = " and ".join(t for t in _TYPES if ("concept", t.lower()) in found)
        raise ReadError(
            f"The folder has only {others} files, which contain the history of changes. Use the Snapshot files of the "
            f"same release.",
            path=path,
            code="no-snapshot",
        )
    missing = [kind for kind in ("description", "relationship") if kind not in files]
    if missing:
        names = [f"sct2_{kind.capitalize()}_Snapshot…_INT_20250101.txt" for kind in missing]
        raise ReadError(
            f"The release has no {' and no '.join(missing)} file. Unpack the whole release, including files such as "
            f"{' and '.join(names)}.",
            path=path,
            values=missing,
            code="no-file",
        )
    return files


def find_files(path: Path) -> Files:
    """RF2 files by kind and release type, in the order of their names.

    Only the standard folders of a release are searched, because this runs on every folder whose format is to be
    recognised, and that may be large.
    """
    top = path if path.is_dir() else path.parent
    if top.name.lower() == "terminology":
        top = top.parent
    elif top.parent.name.lower() == "refset":
        top = top.parent.parent
    bases = [top, *(base for t in _TYPES for base in (top / t, *top.glob(f"*/{t}")))]
    folders = [folder for base in bases for folder in (base, base / "Terminology", *base.glob("Refset/*"))]
    found: dict[tuple[str, str], dict[tuple[Path, str], Path]] = {}
    for file in sorted(file for folder in folders if folder.is_dir() for file in folder.iterdir()):
        match = _NAME.fullmatch(data_name(file))
        if match and file.is_file():
            kind = (match["core"] or match["refset"]).lower()
            key = ("association" if kind.endswith("association") else kind, match["type"].lower())
            # A file that exists both plain and gzipped counts once.
            found.setdefault(key, {}).setdefault((file.parent, data_name(file)), file)
    return {key: list(files.values()) for key, files in found.items()}


def release_name(files: Sequence[Path]) -> str:
    """The name of the release, with its editions and dates."""
    parts = []
    for file in files:
        match = _NAME.fullmatch(file.name.removesuffix(".gz"))
        parts.append(" ".join(part for part in (match["edition"], match["date"]) if part) if match else "")
    return " ".join(["SNOMED CT", " + ".join(dict.fromkeys(part for part in parts if part))]).strip()


class ActiveRows:
    """The active rows of one kind of file over all packages. `latest` then says which of them are current.

    A snapshot has each component once, so in a single file every active row is current. With several packages, another
    file may have a later version, active or not, so all versions are recorded. While iterating, ``file`` is the index
    of the current row's file, ``line`` its line there and ``number`` its number for `latest`.
    """

    def __init__(
        self, files: Sequence[Path], columns: Sequence[str], *, where: tuple[str, Collection[str]] | None = None
    ) -> None:
        self.files = files
        self.file = 0
        self.line = 0
        self.number = -1
        self._columns = ("id", "effectiveTime", "active", *columns)
        self._where = where
        self._key = array("q")
        self._time = array("i")

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        several = len(self.files) > 1
        for index, file in enumerate(self.files):
            self.file = index
            for line, cells in table(file, self._columns, where=self._where):
                self.line = line
                active = is_active(cells[2], file, line)
                if several:
                    # Only equality matters: a 64-bit hash works for SCTIDs and UUIDs alike.
                    self._key.append(hash(cells[0]))
                    self._time.append(parse_date(cells[1], file, line))
                if active or several:
                    self.number += 1
                if active:
                    yield cells

    def error(self, code: str, message: str) -> ReadError:
        """An error at the current row."""
        return ReadError(message, path=self.files[self.file], line=self.line, code=code)

    def sctid(self, text: str) -> int:
        """An SCTID of the current row."""
        try:
            number = int(text)
        except ValueError:
            number = -1
        if not 0 <= number < 10**18:
            raise self.error("not-an-id", f"An SCTID must be a number of up to 18 digits. Got {text!r} instead.")
        return number

    def latest(self, numbers: array[int]) -> NDArray[np.bool_]:
        """Which of the rows with these numbers are the latest version of their component."""
        if len(self.files) < 2 or not numbers:
            return np.ones(len(numbers), dtype=np.bool_)
        key = np.array(self._key)
        order = np.lexsort((np.array(self._time), key))
        key = key[order]
        newest = np.zeros(len(order), dtype=np.bool_)
        newest[order[np.append(key[1:] != key[:-1], True)]] = True
        return newest[np.array(numbers, dtype=np.int64)]


def is_active(text: str, path: Path, line: int) -> bool:
    """Parse the column ``active``."""
    if text not in ("0", "1"):
        raise ReadError(
            f"The column active must be 0 or 1. Got {text!r} instead.",
            path=path,
            line=line,
            column="active",
            values=[text],
        )
    return text == "1"


def parse_date(text: str, path: Path, line: int) -> int:
    """Parse the column ``effectiveTime`` into a number such as 20250101."""
    if text.isascii() and text.isdigit() and len(text) == 8:
        return int(text)
    raise ReadError(
        f"The column effectiveTime must be a date such as 20250101. Got {text!r} instead.",
        path=path,
        line=line,
        column="effectiveTime",
        values=[text],
    )
