"""`Hierarchy`: one path to the top for every value (the VGH of Ayala-Rivera 2014)."""

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
from ontomask.base.atomic import save_atomic
from ontomask.base.text import join_some
from ontomask.errors import HierarchyError, ReadError
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import DEEPEST
from ontomask.taxonomy.taxonomy import Annotations
from ontomask.taxonomy.validate import check_text

__all__ = ["Hierarchy", "check_choice", "require_hierarchy"]

_REPEAT = "Every level needs a label; where a level adds nothing, repeat the label of the level before."


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """A value generalisation hierarchy. Build one with `from_rows` or `ontomask.read_hierarchy`.

    Level 0 holds the values (leaves), the last level is the top. A row may be shorter than the longest one. Its value
    then stands for itself on the missing levels, and ``rows`` keeps the row as given.

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
        """Build a hierarchy from rows. A row holds a value, what it generalises to, and so on up to the top.

        Parameters
        ----------
        rows
            At least two labels each. Spaces around labels are removed. A repeated row is kept and counts once. Two
            different rows for one value are an error.
        name
            The name of the hierarchy, such as the attribute.
        path, lines
            The file of the rows and the line number of each row, for error messages.
        """
        checked: list[tuple[str, ...]] = []
        for number, row in enumerate(rows):
            line = lines[number] if lines else None
            if isinstance(row, str) or not isinstance(row, Iterable):
                _fail(f"A row must be a list of labels, such as ['Spain', '*']. Got {row!r} instead.", path, line)
            cells = tuple(_label(cell, path, line) for cell in row)
            if len(cells) < 2:
                shown = f"{cells[0]!r} has only one level" if cells else "A row is empty"
                _fail(f"{shown}. Give a value and what it generalises to, such as ('Spain', '*').", path, line)
            if len(cells) > DEEPEST:
                _fail(
                    f"A row has {len(cells):,} levels, but at most {DEEPEST:,} are allowed. Check the delimiter, and "
                    f"that each row holds one value with what it generalises to.",
                    path,
                    line,
                )
            checked.append(cells)
        if not checked:
            _fail("There are no rows. Give at least one value and what it generalises to.", path)
        _check_paths(checked, path, lines)
        return cls(tuple(checked), name)

    @classmethod
    def from_levels(
        cls, levels: Mapping[int, Sequence[Any]], *, name: str = "", path: str | Path | None = None
    ) -> Hierarchy:
        """Build a hierarchy from one list per level, as ANJANA stores them, all in the order of level 0.

        Repeated rows are kept once. ``path`` is the file of the levels, for error messages.

        >>> h = Hierarchy.from_levels({0: [37, 41, 37], 1: ["30-39", "40-49", "30-39"], 2: ["*", "*", "*"]})
        >>> h.rows
        (('37', '30-39', '*'), ('41', '40-49', '*'))
        """
        if not isinstance(levels, Mapping) or any(isinstance(labels, str) for labels in levels.values()):
            _fail("Levels must be a dictionary from level to its list of labels: {0: ['Spain'], 1: ['*']}.", path)
        if set(levels) != set(range(len(levels))):
            _fail(f"Number the levels 0, 1, 2, … without gaps. Got {list(levels)} instead.", path)
        lengths = {level: len(levels[level]) for level in sorted(levels)}
        if len(set(lengths.values())) > 1:
            _fail(f"Give every level as many labels as level 0. Got (level: labels) {lengths} instead.", path)
        for level, labels in levels.items():
            if any(isinstance(label, str) and not label.strip() for label in labels):
                _fail(f"Level {level} has empty labels. {_REPEAT}", path)
        rows = zip(*(levels[level] for level in sorted(levels)), strict=True)
        return cls(tuple(dict.fromkeys(cls.from_rows(rows, name=name, path=path).rows)), name)

    @classmethod
    def from_indented_text(cls, text: str, *, name: str = "", path: str | Path | None = None) -> Hierarchy:
        r"""Build a hierarchy from an indented list: each line is a kind of the line above it that is indented less.

        ``path`` is the file of the text, for error messages.

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
                _fail(
                    f"{line.strip()!r} does not line up with any line above it. Indent lines of one level equally.",
                    path,
                    number,
                )
            if len(outer) == len(above) and above:
                # The line before has a line below it, so it is not a leaf.
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
        """Number of levels above the leaves, the top included."""
        return max(map(len, self.rows)) - 1

    @cached_property
    def _paths(self) -> dict[str, tuple[str, ...]]:
        longest = self.height + 1
        return {row[0]: (row[0],) * (longest - len(row)) + row for row in self.rows}

    @cached_property
    def coded(self) -> tuple[tuple[str, ...], IntArray]:
        """The distinct labels, and a table with the code of each value's (row) label on each level (column).

        The values come first: the label of row i on level 0 has code i.

        >>> labels, table = Hierarchy.from_rows([("Ely", "UK", "*"), ("Malta", "*")]).coded
        >>> labels, table.tolist()
        (('Ely', 'Malta', 'UK', '*'), [[0, 2, 3], [1, 1, 3]])
        """
        code = {leaf: i for i, leaf in enumerate(self._paths)}
        flat = (code.setdefault(label, len(code)) for path in self._paths.values() for label in path)
        table = np.fromiter(flat, dtype=np.int32, count=len(self._paths) * (self.height + 1))
        table = table.reshape(len(self._paths), self.height + 1)
        table.setflags(write=False)
        return tuple(code), table

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The values, in the order of the rows."""
        return tuple(self._paths)

    def levels(self, leaf: str) -> tuple[str, ...]:
        """The labels of a value from level 0 (the value itself) to the top."""
        if leaf not in self._paths:
            raise self._unknown([leaf])
        return self._paths[leaf]

    def at(self, level: int) -> Mapping[str, str]:
        """Every value with its label on a level."""
        if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 0 <= level <= self.height:
            raise HierarchyError(
                f"The 'level' must be an int from 0 (the values) to {self.height} (the top). Got {level!r} instead.",
                parameter="level",
            )
        return MappingProxyType({leaf: path[level] for leaf, path in self._paths.items()})

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
            raise self._unknown(missing) from None

    def without(self, *levels: int) -> Hierarchy:
        """A copy without the given levels, such as a redundant level (V104) or one that loses too much (V101).

        Short rows are first extended to all levels.

        >>> h = Hierarchy.from_rows([("Bath", "UK", "Europe", "*"), ("Malta", "Europe", "*")], name="places")
        >>> h.without(1).rows
        (('Bath', 'Europe', '*'), ('Malta', 'Europe', '*'))
        """
        for level in levels:
            self.at(level)
        kept = [level for level in range(self.height + 1) if level not in levels]
        if 0 in levels or len(kept) < 2:
            raise HierarchyError(
                f"Keep the values (level 0) and at least one level above them. Got {list(levels)} as the levels to "
                f"remove from {self!r}.",
                parameter="levels",
            )
        return Hierarchy.from_rows([[path[level] for level in kept] for path in self._paths.values()], name=self.name)

    def _unknown(self, values: Iterable[object]) -> HierarchyError:
        distinct = list(dict.fromkeys(map(str, values)))
        found = "1 value is" if len(distinct) == 1 else f"{len(distinct):,} values are"
        return HierarchyError(
            f"{found} not in {self!r}. Add a row for each of them (the error's `values`), or map them to values of the "
            f"hierarchy first.",
            values=distinct,
        )

    def to_taxonomy(self) -> Taxonomy:
        """The labels as concepts: each is a kind of the next one in its row, and equal labels are one concept.

        >>> Hierarchy.from_rows([("Spain", "Europe", "*"), ("Malta", "Europe", "*")]).to_taxonomy().children("Europe")
        ('Malta', 'Spain')
        """
        concepts = dict.fromkeys(cell for row in self.rows for cell in row)
        links = dict.fromkeys(link for row in self.rows for link in pairwise(row) if link[0] != link[1])
        return Taxonomy.from_edges(list(links), concepts=list(concepts), annotations=Annotations(name=self.name))

    def to_csv(self, path: str | Path, delimiter: str = ";", *, balanced: bool = False) -> None:
        """Write the rows in ARX's CSV format, as an atomic write. `read_hierarchy` reads the file back.

        Parameters
        ----------
        path
            The file to write.
        delimiter
            One character between cells.
        balanced
            Extend all rows to the same number of levels, for tools that need a rectangular table.
        """
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
            raise HierarchyError(
                f"The 'delimiter' must be one character other than a quote or line end. Got {delimiter!r} instead.",
                parameter="delimiter",
            )
        text = io.StringIO()
        rows = self._paths.values() if balanced else self.rows
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        save_atomic(Path(path), text.getvalue().encode(), HierarchyError)


def require_hierarchy(given: object) -> None:
    """Raise unless the argument is a `Hierarchy`."""
    if not isinstance(given, Hierarchy):
        raise HierarchyError(
            f"The 'hierarchy' must be a Hierarchy, such as from read_hierarchy(). Got {type(given).__name__} instead.",
            parameter="hierarchy",
        )


def check_choice(parameter: str, given: object, allowed: Sequence[str]) -> None:
    """Raise unless a parameter has one of the allowed values."""
    if given not in allowed:
        listed = ", ".join(map(repr, allowed[:-1]))
        raise HierarchyError(
            f"The {parameter!r} must be {listed} or {allowed[-1]!r}. Got {given!r} instead.", parameter=parameter
        )


def _fail(
    message: str,
    path: str | Path | None,
    line: int | None = None,
    code: str | None = None,
    values: Sequence[str] = (),
) -> NoReturn:
    if path is None:
        raise HierarchyError(message, line=line, code=code, values=values)
    raise ReadError(message, path=path, line=line, code=code, values=values)


def _label(cell: object, path: str | Path | None, line: int | None) -> str:
    """A label as text. Integers, such as ages, become their digits."""
    if isinstance(cell, (int, np.integer)) and not isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, str) and not cell.strip():
        _fail(f"A label is empty. {_REPEAT}", path, line)
    text = check_text(cell, "a label of a hierarchy", path=path, line=line).strip()
    if "\n" in text or "\r" in text:
        _fail("A label has a line break in it. Write it on one line.", path, line, values=[text])
    return text


def _check_paths(rows: Sequence[tuple[str, ...]], path: str | Path | None, lines: Sequence[int] | None) -> None:
    """Raise unless each value has one path up, and short rows end at a top of the longest rows."""
    longest = max(map(len, rows))
    tops = {row[-1] for row in rows if len(row) == longest}
    known: dict[str, tuple[str, ...]] = {}
    for number, row in enumerate(rows):
        line = lines[number] if lines else None
        if known.setdefault(row[0], row) != row:
            _fail(
                f"{row[0]!r} has two paths up: {' → '.join(known[row[0]])} and {' → '.join(row)}. A hierarchy "
                f"generalises each value in one way only: remove one of the rows (a taxonomy may have both).",
                path,
                line,
                "V102",
                [row[0]],
            )
        if row[-1] not in tops:
            _fail(
                f"The row of {row[0]!r} has {len(row)} levels and ends at {row[-1]!r}, but rows of {longest} levels "
                f"end at {join_some(sorted(tops))}. Extend the row to the top.",
                path,
                line,
                values=[row[0]],
            )
