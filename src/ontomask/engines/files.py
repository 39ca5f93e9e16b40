"""Find the files of a table: one file, those in a folder, or those that a pattern matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from glob import glob, has_magic
from pathlib import Path
from typing import NamedTuple

from ontomask.errors import TableError

__all__ = ["BLANKS", "SUFFIXES", "Layout", "find_files", "is_read_from", "is_table_folder"]

SUFFIXES = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz")

BLANKS = " \t\n\r\v\f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""The blanks that `ontomask.read_table` removes around the cells of CSV files."""


class Layout(NamedTuple):
    """What is known of delimited files before they are read.

    Attributes
    ----------
    delimiter
        The delimiter.
    names
        The names of the columns; empty where there is none.
    before
        The number of lines before the names.
    is_parallel
        Whether several threads may read a file. Quotes can mislead them, and then DuckDB refuses. One thread alone
        would leave out a last row whose quotes are not closed.
    """

    delimiter: str
    names: Sequence[str]
    before: int = 0
    is_parallel: bool = True


def _suffix(path: Path) -> str:
    name = path.name.lower()
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), "")


def find_files(path: str) -> tuple[list[Path], str]:
    """The files of a table, sorted by name, and their common suffix. Hidden files in a folder are left out."""
    place = Path(path)
    if place.is_dir():
        inside = place.rglob("*")
        files = [file for file in inside if _suffix(file) and not _is_hidden(file.relative_to(place))]
    elif has_magic(path) and not place.exists():
        files = [Path(file) for file in glob(path, recursive=True) if _suffix(Path(file))]  # noqa: PTH207
    else:
        files = [place] if place.is_file() else []
    files = sorted(file for file in files if file.is_file())
    if not files:
        raise TableError(
            f"There is no table here. Give a file, a folder or a pattern of files that end in {', '.join(SUFFIXES)}.",
            path=place,
            parameter="path",
            code="no-file",
        )
    suffixes = sorted({_suffix(file).removesuffix(".gz") for file in files})
    if suffixes[0] == "" or len(suffixes) > 1:
        raise TableError(
            f"All files of a table must have the same format, one of {', '.join(SUFFIXES)}. Name them with a pattern.",
            path=place,
            parameter="path",
            code="unknown-format",
        )
    return files, suffixes[0]


def is_read_from(path: Path, files: Iterable[Path], given: str | None) -> bool:
    """Whether a path is, is in, or contains a file that is read, or one that a later run would read.

    ``given`` is the file, the folder or the pattern that the user gave, if it is known.
    """
    place, read = path.resolve(), [file.resolve() for file in files]
    if given is not None:
        read.append(Path(given).resolve())
        wide = str(read[-1]).replace("**/", "*")
        if has_magic(given) and any(fnmatch(str(new), wide) for new in (place, place / "part-0.parquet")):
            return True
    return any(file == place or place in file.parents or file in place.parents for file in read)


def is_table_folder(folder: Path) -> bool:
    """Whether a folder holds nothing but the files of a table, and what Spark writes beside them."""
    return all(
        file.is_file() and (file.suffix.lower() == ".parquet" or file.name == "_SUCCESS" or file.suffix == ".crc")
        for file in folder.iterdir()
    )


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)
