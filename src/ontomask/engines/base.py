"""What an engine does for us: count distinct rows, deal masked tuples to rows, count the result and write it.

Methods plan from distinct tuples with counts, so rows never leave their engine. A `Source` is a table in an engine,
`Dealing` says which rows get which masked tuple, and `Released` is the masked table, which the engine computes when it
is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.keyed_hash import Secret
from ontomask.errors import TableError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["OWN", "SUPPRESSED", "Dealing", "Escape", "Released", "Sample", "Source", "check_names"]

SUPPRESSED = -1
"""The outcome of records that are left out."""

OWN = "#ontomask-"
"""The names of our own columns begin with this, and those of the table must not."""

# Types of DuckDB, whose lists end with a bracket, and of Spark.
_COMPOUND = ("struct(", "map(", "union(", "array<", "struct<", "map<", "variant")


def check_names(names: Sequence[str]) -> None:
    """Refuse a table with names that could be taken for others."""
    lower = Counter(name.lower() for name in names)
    for name in names:
        if name.casefold().startswith(OWN):
            raise _wrong_name(name, f"begins with {OWN}, as our own columns do", "reserved-name")
        if not name.strip():
            raise _wrong_name(name, "is empty", "no-name")
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise _wrong_name(name, "is a pattern of names to engines", "reserved-name")
        if lower[name.lower()] > 1:
            raise _wrong_name(name, "is that of another column, apart from upper and lower case", "names-not-unique")


def _wrong_name(name: str, why: str, code: str) -> TableError:
    text = f"The name of the column {name!r} {why}. Rename the column, or read the table into memory."
    return TableError(text, column=name, code=code)


@dataclass(frozen=True, eq=False, repr=False)
class Dealing:
    """Which rows get which masked tuple.

    The rows of a tuple are ordered by the hash of their keys. The first of them get the tuple's first outcome, as many
    as the plan says, the next ones the second, and so on.

    Attributes
    ----------
    keys
        The columns that tell the tuples apart.
    entries, tuples
        The distinct rows that `Source.count` gave, as far as they are released, and the tuple of each.
    start
        The number of records before each tuple, if records are listed by tuple; one more at the end.
    first, ends, outcomes
        Items: tuple t has those from ``first[t]`` to ``first[t + 1] − 1``. Item i ends before record ``ends[i]`` and
        has the masked tuple ``outcomes[i]``, or `SUPPRESSED`.
    released
        The masked tuples: a table with the columns that are replaced, one row for each.
    dropped
        Columns that are not released.
    secret
        What the hash depends on besides the key of the row.
    """

    keys: tuple[str, ...]
    entries: pl.DataFrame
    tuples: NDArray[np.int64]
    start: NDArray[np.int64]
    first: NDArray[np.int64]
    ends: NDArray[np.int64]
    outcomes: NDArray[np.int64]
    released: pl.DataFrame
    dropped: tuple[str, ...]
    secret: Secret = field(default=(0, 0))

    @property
    def is_divided(self) -> NDArray[np.bool_]:
        """Which tuples have several outcomes."""
        divided: NDArray[np.bool_] = np.diff(self.first) > 1
        return divided

    def divided_outcomes(self) -> Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]:
        """A function that finds the outcomes of rows, given their tuples and their positions.

        Positions are those among all rows of divided tuples, by tuple and then by hash. A row that does not have the
        tuple that the plan has there is `SUPPRESSED`: the table changed, and the counts will not be right.
        """
        of_item = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        items = np.flatnonzero(self.is_divided[of_item])
        ends = np.cumsum(np.diff(self.ends, prepend=0)[items])
        outcomes, of_item = np.append(self.outcomes[items], SUPPRESSED), np.append(of_item[items], -1)

        def find(tuples: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.int64]:
            item = np.searchsorted(ends, positions, side="right")
            return np.where(of_item[item] == tuples, outcomes[item], SUPPRESSED)

        return find


class Escape(NamedTuple):
    """Which cells of a delimited file a spreadsheet would run, as patterns, and how a column's name is written."""

    formula: str
    number: str
    name: Callable[[str], str]


class Sample(NamedTuple):
    """A random share of the rows: those whose key has a hash below a bound.

    Attributes
    ----------
    secret
        What the hash depends on besides the key.
    share
        From 0 to 1.
    """

    secret: Secret
    share: float

    @property
    def bound(self) -> int:
        """Hashes of rows in the sample are at most this number."""
        return min(int(self.share * 2**64), 2**64 - 1)


class Released(ABC):
    """A masked table in its engine. Nothing is computed before it is asked for."""

    @property
    @abstractmethod
    def table(self) -> Any:
        """The table as the engine's own object, with the rows in any order."""

    @abstractmethod
    def joint(
        self, names: Sequence[str], sample: Sample | None = None
    ) -> tuple[pl.DataFrame, NDArray[np.int64], NDArray[np.int64]]:
        """Distinct rows of the original in some columns, with their outcomes and numbers of records.

        Only released records are counted, or a sample of them.
        """

    @abstractmethod
    def number_of_pairs(self, names: Sequence[str]) -> int:
        """How many distinct rows `joint` has without a sample."""

    @abstractmethod
    def group_sizes(self, names: Sequence[str], person: str | None) -> NDArray[np.int64]:
        """The sizes of the groups of rows with equal released cells in some columns.

        One line for groups of equal sizes, with three numbers: the rows of each of these groups, its persons (its rows
        where persons are not known), and how many such groups there are.
        """

    @abstractmethod
    def write(self, path: Path, secret: Secret | None, escape: Escape | None) -> None:
        """Write the table to a new file, or as Parquet into a new folder.

        Rows are in the order of the hash of their keys under the secret, or of the keys if there is none.
        """

    @abstractmethod
    def count_written(self, path: Path, names: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The distinct rows of a file or folder that was written, in some columns, with counts."""


class Source(ABC):
    """A table whose rows stay in an engine. `ontomask.scan` makes it, and `ontomask.Microdata` takes it.

    Attributes
    ----------
    engine
        The name of the engine.
    also
        Columns by which distinct rows are told apart besides those that are asked for.
    """

    engine: ClassVar[str]
    also: tuple[str, ...] = ()
    _types: dict[str, str]
    """The type of each column, as the engine names it."""

    def __repr__(self) -> str:
        return f"<Source in {self.engine}: columns {', '.join(self.columns)}>"

    def is_compound(self, name: str) -> bool:
        """Whether the cells of a column are lists, structures or maps."""
        kind = self._types[name].lower()
        return kind.endswith("]") or kind.startswith(_COMPOUND)

    def counting(self, names: Sequence[str]) -> Self:
        """The same table, whose distinct rows are also told apart by these columns."""
        made = copy(self)
        made.also = (*self.also, *names)
        return made

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the columns."""

    @abstractmethod
    def count(self, names: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The distinct rows in some columns, in an order that depends on their cells only, with counts."""

    @abstractmethod
    def repeats(self, name: str) -> bool:
        """Whether many rows share their cell with another one. It may be estimated."""

    @abstractmethod
    def is_input(self, path: Path) -> bool:
        """Whether a path is, is in, or contains a file that the table is read from, or would be read from next time."""

    @abstractmethod
    def deal(self, dealing: Dealing) -> Released:
        """The masked table."""
