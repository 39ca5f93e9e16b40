"""The trees of MeSH: the file of headings and tree numbers, and the links that tree numbers stand for.

The file has 65,000 lines, and each reader of MeSH has as many tree numbers. So they are handled in columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import lines, read_bytes
from ontomask.taxonomy.validate import fail

if TYPE_CHECKING:
    import polars

__all__ = ["Headings", "TreeLinks", "read_trees"]

_NUMBER = r"^[A-Z][0-9]+(\.[0-9]+)*$"
# In the file as published, a number has a letter with two digits and parts with three.
_PUBLISHED = r"^[A-Z][0-9]{2}(\.[0-9]{3})*$"
_FIRST, _PART = 3, 4
_UTF_8 = ("utf-8", "utf8")


@dataclass
class Headings:
    """The headings of a file with their lines and labels, and their tree numbers.

    ``owner`` is the position of the heading of each number, ``line_of_number`` the line of each number. ``is_sorted``
    says that all numbers look like 'A01.111.222' and ascend.
    """

    ids: list[str] = field(default_factory=list)
    line: Sequence[int] | NDArray[np.integer] = field(default_factory=list)
    labels: dict[str, list[str]] = field(default_factory=dict)
    glosses: dict[str, str] = field(default_factory=dict)
    numbers: Sequence[str] | polars.Series = field(default_factory=list)
    owner: Sequence[int] | NDArray[np.integer] = field(default_factory=list)
    line_of_number: Sequence[int] | NDArray[np.integer] = field(default_factory=list)
    is_sorted: bool = False


@dataclass
class TreeLinks:
    """The links between headings that follow from their tree numbers, in codes: the root, the categories, the headings.

    ``circular`` are numbers below another number of the same heading. MeSH 2025 places 'Ocular Motility Disorders' also
    below its own child 'Strabismus'. They have no link.
    """

    tops: list[str]
    child: IntArray
    parent: IntArray
    line: NDArray[np.integer]
    circular: list[str]

    @classmethod
    def of(cls, path: Path, found: Headings) -> TreeLinks:
        """Find the heading above each tree number."""
        import polars as pl

        numbers = pl.Series("number", found.numbers, dtype=pl.String)
        line = np.asarray(found.line_of_number, dtype=np.int64)
        up = _above_in_sorted(numbers) if found.is_sorted else None
        if up is None:
            _check(path, numbers, line)
            up = _above(path, numbers, line)
        is_top = up < 0
        letters = numbers.filter(pl.Series(is_top)).str.slice(0, 1).to_list()
        tops = {letter: code for code, letter in enumerate(dict.fromkeys(letters), start=1)}
        base = 1 + len(tops)
        code = (np.asarray(found.owner, dtype=np.int32) + base).astype(np.int32)
        parent = code[up]
        parent[is_top] = [tops[letter] for letter in letters]
        is_circular = _circular(up, code)
        kept = ~is_circular
        alone = np.flatnonzero(np.bincount(code, minlength=base + len(found.ids))[base:] == 0)
        below_root = np.concatenate([np.arange(1, base), alone + base]).astype(np.int32)
        return cls(
            list(tops),
            np.concatenate([below_root, code[kept]]),
            np.concatenate([np.zeros(len(below_root), dtype=np.int32), parent[kept]]),
            np.concatenate([np.zeros(len(tops), dtype=np.int64), np.asarray(found.line)[alone], line[kept]]),
            numbers.filter(pl.Series(is_circular)).to_list(),
        )


def _check(path: Path, numbers: polars.Series, line: NDArray[np.integer]) -> None:
    """Validate that each number is a tree number, and that none is repeated."""
    is_number = numbers.str.contains(_NUMBER)
    if not is_number.all():
        first = int((~is_number).arg_max() or 0)
        message = f"{numbers[first]!r} is not a tree number, such as 'A01.111'. Use the file as it was published."
        raise ReadError(message, path=path, line=int(line[first]), code="not-a-number")
    if numbers.n_unique() < len(numbers):
        first = int((~numbers.is_first_distinct()).arg_max() or 0)
        message = f"The tree number {numbers[first]!r} is repeated. Use the file as it was published."
        fail("T104", message, path=path, line=int(line[first]), values=[numbers[first]])


def _above(path: Path, numbers: polars.Series, line: NDArray[np.integer]) -> IntArray:
    """The position of the number above each: 'A01' for 'A01.111'. −1 if only the category is above it."""
    import polars as pl

    above = numbers.str.strip_chars_end("0123456789").str.strip_chars_end(".")
    known = numbers.to_frame().with_row_index("row")
    row = above.to_frame().join(known, on="number", how="left", maintain_order="left")["row"]
    is_missing = row.is_null() & (above.str.len_bytes() > 1)
    if is_missing.any():
        first = int(is_missing.arg_max() or 0)
        text = f"A tree number is below {above[first]!r}, which no heading has. Use the complete file."
        fail("T103", text, path=path, line=int(line[first]), values=[above[first]])
    return np.asarray(row.cast(pl.Int32).fill_null(-1).to_numpy(), dtype=np.int32)


def _above_in_sorted(numbers: polars.Series) -> IntArray | None:
    """The same for numbers such as 'A01.111.222' that ascend: the last one before it with one part less.

    ``None`` if a number is missing.
    """
    parts = (numbers.str.len_bytes().to_numpy().astype(np.int32) - _FIRST) // _PART
    up = np.full(len(numbers), -1, dtype=np.int32)
    for level in range(1, int(parts.max()) + 1):
        at, above = np.flatnonzero(parts == level), np.flatnonzero(parts == level - 1)
        if not len(above):
            return None
        up[at] = above[np.searchsorted(above, at) - 1]
    below = np.flatnonzero(parts)
    is_above = numbers.gather(up[below]) == numbers.gather(below).str.head(-_PART)
    return up if is_above.all() else None


def _circular(up: IntArray, code: IntArray) -> NDArray[np.bool_]:
    """Whether each number is below another number of its heading."""
    found = np.zeros(len(up), dtype=bool)
    below = np.flatnonzero(up >= 0)
    at = up[below]
    while below.size:
        found[below] |= code[at] == code[below]
        at = up[at]
        inside = at >= 0
        below, at = below[inside], at[inside]
    return found


def read_trees(path: Path, encoding: str) -> Headings:
    """Read a file with a heading and a tree number per line, such as ``Body Regions;A01``."""
    table = _columns(path) if encoding.lower() in _UTF_8 else None
    if table is None:
        return _by_line(path, encoding)
    names, owner = _distinct(table["name"])
    return Headings(
        names.to_list(),
        np.zeros(len(names), dtype=np.int32),
        numbers=table["number"],
        owner=owner,
        line_of_number=np.arange(1, table.height + 1),
        is_sorted=True,
    )


def _distinct(names: polars.Series) -> tuple[polars.Series, NDArray[np.integer]]:
    """The distinct names in the order in which they appear, and the position of each name among them."""
    import polars as pl

    # A sort of hashes is several times as fast as a join. Equal hashes of different names are found out.
    bits = len(names).bit_length()
    held = (names.hash().to_numpy() >> np.uint64(bits + 1) << np.uint64(bits)).astype(np.int64) | np.arange(len(names))
    held.sort()
    row = held & ((1 << bits) - 1)
    is_new = np.diff(held >> bits, prepend=-1) != 0
    first = np.empty(len(names), dtype=np.int64)
    first[row] = row[is_new][np.cumsum(is_new) - 1]
    is_first = first == np.arange(len(names))
    owner = (np.cumsum(is_first) - 1)[first]
    distinct = names.filter(pl.Series(is_first))
    if (distinct.gather(owner) == names).all():
        return distinct, owner
    distinct = names.unique(maintain_order=True)
    known = distinct.to_frame().with_row_index("row")
    return distinct, names.to_frame().join(known, on=names.name, how="left", maintain_order="left")["row"].to_numpy()


def _columns(path: Path) -> polars.DataFrame | None:
    """The columns of the file as published, where the numbers ascend. ``None`` if anything is unusual, even a blank."""
    import polars as pl

    raw = read_bytes(path)
    schema = {"name": pl.String, "number": pl.String}
    try:
        table = pl.read_csv(raw, separator=";", quote_char=None, has_header=False, schema=schema)
    except pl.exceptions.PolarsError:
        return None
    name, number = table["name"], table["number"]
    is_usual = (
        # No line was left out, so a row's position tells its line.
        table.height == raw.count(b"\n") + (not raw.endswith(b"\n"))
        and not name.null_count()
        and not number.null_count()
        and not (name == "").any()
        and bool((name.str.strip_chars() == name).all())
        and bool(number.str.contains(_PUBLISHED).all())
        and bool((number[1:] > number[:-1]).all())
    )
    return table if is_usual else None


def _by_line(path: Path, encoding: str) -> Headings:
    """The headings of a file with blanks, empty lines or mistakes."""
    numbers: list[str] = []
    owner: list[int] = []
    at: list[int] = []
    names: dict[str, int] = {}
    for line, text in lines(path, encoding):
        name, _, number = (part.strip() for part in text.rpartition(";"))
        if name:
            owner.append(names.setdefault(name, len(names)))
            numbers.append(number)
            at.append(line)
        elif text.strip():
            raise ReadError(
                "Expected a heading, a semicolon and a tree number, such as 'Body Regions;A01'. Use the file as it was "
                "published.",
                path=path,
                line=line,
                code="not-a-line",
            )
    return Headings(list(names), [0] * len(names), numbers=numbers, owner=owner, line_of_number=at)
