"""`Hierarchy`: the one way up of every value, from the value itself to the top (V's VGH)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.base.atomic import write_atomic
from ontomask.base.text import join_some
from ontomask.errors import HierarchyError, ReadError
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import DEEPEST
from ontomask.taxonomy.taxonomy import Annotations
from ontomask.taxonomy.validate import check_text

__all__ = ["Hierarchy"]

_REPEAT = "Every level needs a label; where a level adds nothing, repeat the one before it."


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """A value generalisation hierarchy. Build one with `from_rows` or `ontomask.read_hierarchy`.

    Level 0 are the values (leaves), the last level is the top. A row may be shorter than the deepest one: its value
    then stands for itself on the levels that it lacks, and ``rows`` keeps it as it was given.

    >>> h = Hierarchy.from_rows([("Bath", "UK", "Europe", "*"), ("Ely", "UK", "Europe", "*"), ("Malta", "Europe", "*")])
    >>> h.height, h.leaves, h.levels("Malta")
    (3, ('Bath', 'Ely', 'Malta'), ('Malta', 'Malta', 'Europe', '*'))
    >>> h.generalise(["Ely", "Malta"], 1), h.labels(2)
    (['UK', 'Malta'], ('Europe',))
    """

    rows: tuple[tuple[str, ...], ...]
    name: str = ""

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Any]],
        *,
        name: str = "",
        path: str | Path | None = None,
        lines: Sequence[int] | None = None,
    ) -> Hierarchy:
        """Build a hierarchy of rows: the value, what it generalises to, and so on up to the top.

        Parameters
        ----------
        rows
            At least two labels each, without the spaces around them. A row that is given twice is kept and counts
            once; a value with two ways up is an error.
        name
            What the hierarchy is called, such as the attribute.
        path, lines
            The file the rows come from and the line of each, for error messages.
        """
        checked: list[tuple[str, ...]] = []
        for number, row in enumerate(rows):
            line = lines[number] if lines else None
            if isinstance(row, str) or not isinstance(row, Iterable):
                _fail(
                    f"a row is a list of labels, got {'the text ' if isinstance(row, str) else ''}{row!r}.", path, line
                )
            cells = tuple(_label(cell, path, line) for cell in row)
            if len(cells) < 2:
                shown = f"{cells[0]!r} has only one level" if cells else "a row is empty"
                _fail(f"{shown}. Give a value and what it generalises to, such as ('Spain', '*').", path, line)
            if len(cells) > DEEPEST:
                _fail(
                    f"a row has {len(cells):,} levels, and {DEEPEST:,} are allowed. Check the delimiter, and that each "
                    f"row holds one value with what it generalises to.",
                    path,
                    line,
                )
            checked.append(cells)
        if not checked:
            _fail("there is no row. A hierarchy needs at least one value and what it generalises to.", path)
        _check_ways(checked, path, lines)
        return cls(tuple(checked), name)

    @classmethod
    def from_levels(
        cls, levels: Mapping[int, Sequence[Any]], *, name: str = "", path: str | Path | None = None
    ) -> Hierarchy:
        """Build a hierarchy of one list a level, as ANJANA has them, all in the order of level 0.

        Rows that repeat are kept once. ``path`` is the file the levels come from, for error messages.

        >>> h = Hierarchy.from_levels({0: [37, 41, 37], 1: ["30-39", "40-49", "30-39"], 2: ["*", "*", "*"]})
        >>> h.rows
        (('37', '30-39', '*'), ('41', '40-49', '*'))
        """
        if not isinstance(levels, Mapping) or any(isinstance(labels, str) for labels in levels.values()):
            _fail("levels are a dictionary from level to the list of its labels: {0: ['Spain'], 1: ['*']}.", path)
        if set(levels) != set(range(len(levels))):
            _fail(f"levels are numbered 0, 1, 2, … without gaps. Got {list(levels)} instead.", path)
        lengths = {level: len(levels[level]) for level in sorted(levels)}
        if len(set(lengths.values())) > 1:
            _fail(f"every level needs as many labels as level 0. Got (level: labels) {lengths} instead.", path)
        for level, labels in levels.items():
            if any(isinstance(label, str) and not label.strip() for label in labels):
                _fail(f"level {level} has empty labels. {_REPEAT}", path)
        rows = zip(*(levels[level] for level in sorted(levels)), strict=True)
        return cls(tuple(dict.fromkeys(cls.from_rows(rows, name=name, path=path).rows)), name)

    @classmethod
    def from_indented_text(cls, text: str, *, name: str = "", path: str | Path | None = None) -> Hierarchy:
        r"""Build a hierarchy of an indented list: what stands below and further in is a kind of what stands above.

        ``path`` is the file the text comes from, for error messages.

        >>> Hierarchy.from_indented_text("*\n  Europe\n    Spain\n    Malta\n  Asia\n    Japan").rows
        (('Spain', 'Europe', '*'), ('Malta', 'Europe', '*'), ('Japan', 'Asia', '*'))
        """
        rows: list[tuple[str, ...]] = []
        lines: list[int] = []
        above: list[tuple[int, str]] = []
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            indent = len(line.expandtabs()) - len(line.expandtabs().lstrip())
            outer = [(at, label) for at, label in above if at < indent]
            if len(outer) < len(above) and above[len(outer)][0] != indent:
                _fail(f"{line.strip()!r} is indented like nothing above it.", path, number)
            if len(outer) == len(above) and above:
                # The line before has something below it, so it is no leaf.
                rows.pop()
                lines.pop()
            above = [*outer, (indent, line.strip())]
            rows.append(tuple(label for _, label in reversed(above)))
            lines.append(number)
        return cls.from_rows(rows, name=name, path=path, lines=lines)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<Hierarchy{name}: {len(self.leaves):,} leaves, height {self.height}>"

    @cached_property
    def height(self) -> int:
        """Levels above the leaves, the top included."""
        return max(map(len, self.rows)) - 1

    @cached_property
    def _ways(self) -> dict[str, tuple[str, ...]]:
        longest = self.height + 1
        return {row[0]: (row[0],) * (longest - len(row)) + row for row in self.rows}

    @cached_property
    def coded(self) -> tuple[tuple[str, ...], IntArray]:
        """The distinct labels, and the place of each value's label (row) on each level (column) among them.

        The values come first: the label of row i on level 0 is number i.

        >>> labels, table = Hierarchy.from_rows([("Ely", "UK", "*"), ("Malta", "*")]).coded
        >>> labels, table.tolist()
        (('Ely', 'Malta', 'UK', '*'), [[0, 2, 3], [1, 1, 3]])
        """
        place = {leaf: i for i, leaf in enumerate(self._ways)}
        flat = (place.setdefault(label, len(place)) for way in self._ways.values() for label in way)
        table = np.fromiter(flat, dtype=np.int32, count=len(self._ways) * (self.height + 1))
        table = table.reshape(len(self._ways), self.height + 1)
        table.setflags(write=False)
        return tuple(place), table

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The values, in the order of the rows."""
        return tuple(self._ways)

    def levels(self, leaf: str) -> tuple[str, ...]:
        """The way up of a value: itself, its label on level 1, and so on to the top."""
        if leaf not in self._ways:
            raise HierarchyError(self._unknown([leaf]))
        return self._ways[leaf]

    def at(self, level: int) -> Mapping[str, str]:
        """Every value with its label on a level."""
        if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 0 <= level <= self.height:
            raise HierarchyError(f"levels go from 0 (the values) to {self.height} (the top). Got {level!r} instead.")
        return MappingProxyType({leaf: way[level] for leaf, way in self._ways.items()})

    def labels(self, level: int) -> tuple[str, ...]:
        """The distinct labels of a level, in the order of the rows."""
        return tuple(dict.fromkeys(self.at(level).values()))

    def generalise(self, values: Iterable[str], level: int) -> list[str]:
        """The label of every value on a level."""
        label = self.at(level)
        wanted = list(values)
        try:
            return [label[value] for value in wanted]
        except (KeyError, TypeError):
            missing = [value for value in wanted if not isinstance(value, str) or value not in label]
            raise HierarchyError(self._unknown(missing)) from None

    def without(self, *levels: int) -> Hierarchy:
        """The same without some levels, such as one that is redundant (V104) or loses more than the next (V101).

        Short rows are written out to all levels first.

        >>> h = Hierarchy.from_rows([("Bath", "UK", "Europe", "*"), ("Malta", "Europe", "*")], name="places")
        >>> h.without(1).rows
        (('Bath', 'Europe', '*'), ('Malta', 'Europe', '*'))
        """
        for level in levels:
            self.at(level)
        kept = [level for level in range(self.height + 1) if level not in levels]
        if 0 in levels or len(kept) < 2:
            raise HierarchyError(
                f"the values (level 0) and at least one level above them stay. Got levels {list(levels)} to leave out "
                f"of {self!r}."
            )
        return Hierarchy.from_rows([[way[level] for level in kept] for way in self._ways.values()], name=self.name)

    def _unknown(self, values: Iterable[object]) -> str:
        listed = list(dict.fromkeys(map(str, values)))
        many = "is not a value" if len(listed) == 1 else "are not values"
        return f"{join_some(listed)} {many} of {self!r}. Add a row for each, or map it to one of the values first."

    def to_taxonomy(self) -> Taxonomy:
        """The same labels as concepts: each a kind of the next one in its row; equal labels are one concept.

        >>> Hierarchy.from_rows([("Spain", "Europe", "*"), ("Malta", "Europe", "*")]).to_taxonomy().children("Europe")
        ('Spain', 'Malta')
        """
        concepts = dict.fromkeys(cell for row in self.rows for cell in row)
        links = dict.fromkeys(link for row in self.rows for link in pairwise(row) if link[0] != link[1])
        return Taxonomy.from_edges(list(links), concepts=list(concepts), annotations=Annotations(name=self.name))

    def to_csv(self, path: str | Path, delimiter: str = ";", *, balanced: bool = False) -> None:
        """Write the rows as ARX keeps them, whole or not at all; `read_hierarchy` reads them again.

        Parameters
        ----------
        path
            The file to write.
        delimiter
            One character between cells.
        balanced
            Write all rows with the same number of levels, for tools that need a table, instead of as they were given.
        """
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
            raise HierarchyError(f"the delimiter must be one character that is no quote. Got {delimiter!r} instead.")
        text = io.StringIO()
        rows = self._ways.values() if balanced else self.rows
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        write_atomic(Path(path), text.getvalue().encode())


def _fail(message: str, path: str | Path | None, line: int | None = None, code: str | None = None) -> NoReturn:
    if path is None:
        raise HierarchyError(f"line {line}: {message}" if line else message, code=code)
    raise ReadError(message, path=path, line=line, code=code)


def _label(cell: object, path: str | Path | None, line: int | None) -> str:
    """A label as text; whole numbers, such as ages, as their digits."""
    if isinstance(cell, (int, np.integer)) and not isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, str) and not cell.strip():
        _fail(f"a label is empty. {_REPEAT}", path, line)
    text = check_text(cell, "a label of a hierarchy", path=path, line=line).strip()
    if "\n" in text or "\r" in text:
        _fail(f"a label has a line break in it: {text!r}. Write it on one line.", path, line)
    return text


def _check_ways(rows: Sequence[tuple[str, ...]], path: str | Path | None, lines: Sequence[int] | None) -> None:
    """Each value has one way up, and short rows reach a top of the deepest ones."""
    longest = max(map(len, rows))
    tops = {row[-1] for row in rows if len(row) == longest}
    known: dict[str, tuple[str, ...]] = {}
    for number, row in enumerate(rows):
        line = lines[number] if lines else None
        if known.setdefault(row[0], row) != row:
            _fail(
                f"{row[0]!r} has two ways up: {' → '.join(known[row[0]])} and {' → '.join(row)}. A hierarchy "
                f"generalises each value in one way: remove one of them (a taxonomy may have both).",
                path,
                line,
                "V102",
            )
        if row[-1] not in tops:
            _fail(
                f"the row of {row[0]!r} ends at {row[-1]!r} after {len(row)} levels, where no row of {longest} levels "
                f"ends (these end at {join_some(sorted(tops))}). Write the row on to the top.",
                path,
                line,
            )
