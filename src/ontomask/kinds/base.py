"""What every kind of column has: `Kind` declares it, `Column` is the encoded column, `Release` writes and reads text.

A *point* is a value in the form that arithmetic takes: the code of a concept, a number, the index of a category, or a
range of these (`ontomask.operators.ranges`). A *kept* cell has no point: it is missing or without a concept, and the
user's policy lets it through unchanged.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_codes, count_holders
from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.errors import Setting, TableError, Wording
from ontomask.kinds.generalisations import Generalisations
from ontomask.kinds.policies import Policies
from ontomask.kinds.policy_cells import apply_policies
from ontomask.mapping import ColumnMapping
from ontomask.operators.ranges import make_points
from ontomask.operators.space import Points, Space

if TYPE_CHECKING:
    from ontomask.kinds.public import PublicDomain
    from ontomask.kinds.under import TableView

__all__ = [
    "ANYTHING",
    "RARE",
    "Column",
    "Kind",
    "Labels",
    "MaskedReader",
    "OwnValue",
    "Policies",
    "Release",
    "no_value",
]

ANYTHING = "*"
"""What ARX, sdcMicro and other tools write for a suppressed cell."""

RARE = 10
"""Original values that fewer persons or records have are not shown in anything that others read."""

Labels = Mapping[str, Sequence[str]]
"""The inner labels of a hierarchy, with the values below each."""


class Kind(ABC):
    """What a column holds. The public kinds are frozen dataclasses; their fields are the keys of a job file.

    Attributes
    ----------
    name
        The kind in a job file, such as ``nominal``.
    values_in_words
        What the column holds, for reports, such as ``concepts``.
    mismatch
        What is wrong with a cell that the column cannot hold.
    weight
        The attribute's weight in distances between records.
    top
        The text that a cell is released as if it may be any value; ``None`` for the usual text.
    """

    name: ClassVar[str]
    values_in_words: ClassVar[str]
    mismatch: ClassVar[str]
    weight: float
    top: str | None = None

    @classmethod
    def option_names(cls, *, required: bool = False) -> tuple[str, ...]:
        """The options of the kind, all or only those without a default."""
        given = [f for f in fields(cls) if f.init]  # type: ignore[arg-type]
        return tuple(f.name for f in given if not required or f.default is MISSING)

    def completed(self, name: str, table: TableView) -> Kind:  # noqa: ARG002
        """The kind of the column ``name`` with what it takes from other columns of the table; most take nothing."""
        return self

    def encode(
        self, name: str, cells: Sequence[object], code: IntArray, policies: Policies, records: Records = None
    ) -> Column:
        """Encode the column ``name``: record i, or ``records[i]`` equal ones, have the cell ``cells[code[i]]``."""
        return apply_policies(self._encode(name, cells, code, policies.while_encoding, records), policies)

    @abstractmethod
    def _encode(
        self, name: str, cells: Sequence[object], code: IntArray, policies: Policies, records: Records
    ) -> Column:
        """Encode the column, with the policies that `Policies.while_encoding` says."""

    @abstractmethod
    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts that the column cannot hold."""

    def map(self, counts: Mapping[Any, int], column: str, missing_tokens: Sequence[str]) -> ColumnMapping | None:  # noqa: ARG002
        """How cells with counts map to concepts; ``None`` for a kind without concepts."""
        return None

    def check_domain(self) -> None:  # noqa: B027 - nothing to check by default
        """Raise an error if the domain does not exist."""

    def check_mapping(self) -> None:  # noqa: B027
        """Raise an error if the mapping names concepts that do not exist."""

    def check_distance(self) -> None:  # noqa: B027
        """Raise an error if the distance cannot be computed."""

    def check_top(self) -> None:
        """Raise an error if the text for any value is not a text, or has blanks around it."""
        if self.top is not None and (not isinstance(self.top, str) or self.top != self.top.strip() or not self.top):
            raise TableError(
                f"The 'top' of {type(self).__name__} must be a text such as 'any value', without blanks around it. "
                f"Got {self.top!r} instead.",
                parameter="top",
            )

    def check_weight(self) -> None:
        """Raise an error if the weight is not a positive number."""
        if isinstance(self.weight, bool) or not isinstance(self.weight, Real) or not 0 < float(self.weight) < math.inf:
            raise TableError(
                f"The 'weight' of {type(self).__name__} must be a number > 0. Got {self.weight!r} instead.",
                parameter="weight",
            )


def no_value(column: str) -> TableError:
    """The error for a column in which every cell is missing."""
    return TableError(
        f"The column {column!r} has no value at all. Give it the role 'other', or leave it out.", column=column
    )


class OwnValue(NamedTuple):
    """Missing cells, or values that a column cannot hold, as a value of its own: its text and its point."""

    text: str
    point: Any


@dataclass(frozen=True, eq=False, repr=False)
class Column(ABC):
    """A quasi-identifier or confidential column, encoded.

    Attributes
    ----------
    name, kind
        The column's name and what it holds.
    cells
        The distinct cells, unchanged.
    code, records
        The index in ``cells`` of each record's cell, and how many records it stands for; ``None``: one.
    point
        The point of each distinct cell; without meaning for a kept or dropped cell.
    kept, dropped
        Which distinct cells the policies keep unchanged, and which remove the record.
    own
        Values of their own, by what they stand for: ``missing`` or ``unmapped``.
    missing_tokens
        Texts that mean a missing cell. No value is released as one of them.
    is_ordered, holds_sets
        Whether points lie on a line, and whether a point is a set of concepts.
    """

    name: str
    kind: Kind
    cells: tuple[object, ...]
    code: IntArray
    point: NDArray[Any]
    kept: NDArray[np.bool_]
    dropped: NDArray[np.bool_]
    records: Records = field(default=None, kw_only=True)
    own: Mapping[str, OwnValue] = field(default_factory=dict, kw_only=True)
    missing_tokens: tuple[str, ...] = field(default=(), kw_only=True)

    is_ordered: ClassVar[bool] = False
    holds_sets: ClassVar[bool] = False

    def __repr__(self) -> str:
        # Cells are personal data: they must not show in tracebacks and logs.
        return f"<{type(self).__name__} {self.name!r}: {len(self.code):,} records, {len(self.cells):,} distinct cells>"

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of records with each distinct cell."""
        return count_codes(self.code, len(self.cells), self.records)

    def count_holders(self, of_cell: NDArray[Any], number: int, persons: NDArray[Any] | None) -> NDArray[np.int64]:
        """The persons, or the records if persons are not known, with each of ``number`` codes of distinct cells."""
        return count_holders(of_cell[self.code], number, persons, self.records)

    @property
    def live(self) -> list[int]:
        """The distinct cells that have a point and occur."""
        live: list[int] = np.flatnonzero(~(self.kept | self.dropped) & (self.counts > 0)).tolist()
        return live

    @property
    @abstractmethod
    def space(self) -> Space:
        """Distances between the points, their centroid and their mean."""

    @property
    @abstractmethod
    def anything(self) -> Any:
        """The point that says nothing: what a suppressed cell is released as."""

    @abstractmethod
    def generalisations(self, points: Points) -> Generalisations:
        """What values of the column can be generalised to. ``points`` are distinct and ascending."""

    @abstractmethod
    def key(self, point: Any) -> str | float:
        """The point in the form that files keep: a concept id, a number, a category, a range as text."""

    @abstractmethod
    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """Points from the form that files keep."""

    @abstractmethod
    def release(self, spellings: Mapping[Any, object]) -> Release:
        """How points become text; ``spellings`` are those that `safe_spellings` allows."""

    @abstractmethod
    def masked_reader(self, release: Release, mapping: Mapping[str, str], labels: Labels) -> MaskedReader:
        """A reader of this column's text in a masked table.

        Parameters
        ----------
        release
            How the column's own points are written.
        mapping
            Texts with the meaning that the user gave.
        labels
            The labels of the hierarchy that was released, with the values below each.
        """

    def public_domain(self, distance: Any) -> PublicDomain:  # noqa: ARG002
        """What the column can be released as, whatever the data hold: see `ontomask.kinds.public`.

        ``distance`` is a semantic distance to use instead of the column's own. Raises an error if the candidates would
        depend on the data.
        """
        from ontomask.kinds.public import not_public

        raise not_public(
            self, f"Columns of {self.kind.values_in_words} have none. Use another method, or leave out the column."
        )

    @property
    def reserved(self) -> set[str | None]:
        """Texts that no value may be released as: they mean a kept or a missing cell."""
        return {*self.missing_tokens, *(cell_text(self.cells[i]) for i in np.flatnonzero(self.kept))}

    def with_own_value(self, which: str, cells: NDArray[np.bool_], policies: Policies) -> Self:  # noqa: ARG002
        """The column in which some kept cells are one value of their own: the ``missing`` or the ``unmapped`` ones."""
        raise TableError(
            f"The column {self.name!r} cannot have the policy 'category': it holds {self.kind.values_in_words}. Use ",
            Setting("columns", self.name, which, values=["root", "keep", "drop"]),
            ".",
            column=self.name,
            parameter=which,
        )

    @property
    def all_points(self) -> Points:
        """The points of all values, ascending."""
        return np.unique(self.point[~self.kept])

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the points 0, 1, …, where points are categories."""
        return ()

    @property
    def holds_integers(self) -> bool:
        """Whether all points are integers on a line of numbers."""
        return False

    def notes(self) -> list[Note]:
        """What should be known about how the cells were encoded."""
        return []

    def names(self, key: Any) -> tuple[str, ...]:  # noqa: ARG002
        """Texts that name a key in addition to the cells that have its point."""
        return ()

    def meanings(self, text: str) -> Iterator[Any]:  # noqa: ARG002
        """The points that a text may mean when it is not a cell of the column."""
        return iter(())

    def count_before(
        self,
        mapped: ColumnMapping | None,  # noqa: ARG002
        rare_cells: Iterable[object],
    ) -> tuple[Counter[str], Counter[Any]]:
        """The records of texts and of points before records were dropped.

        ``mapped`` is the mapping report of that time; ``rare_cells`` are cells that few records had.
        """
        texts = Counter(cell_text(cell) or "" for cell in rare_cells)
        return texts, Counter(point for text in texts for point in self.meanings(text))

    def safe_spellings(self, persons: NDArray[np.integer] | None, least: int) -> dict[Any, object]:  # noqa: ARG002
        """The cell that may be released for a point, where the data's own spelling matters."""
        return {}

    @property
    def is_released_as_text(self) -> bool:
        """Whether a column of numbers must become text when it is released."""
        return False

    def has_same_domain(self, other: Column) -> bool:
        """Whether points of the other column have the same meaning here."""
        return type(other) is type(self)

    def under(self, distance: Any, scope: Any) -> Column:  # noqa: ARG002
        """The column under another semantic distance or scope; ``None`` keeps its own."""
        return self

    def describe_distance(self, may_name: Callable[[str], bool]) -> str:  # noqa: ARG002
        """The distance in a few words; names of concepts only as far as ``may_name`` allows them."""
        return "share of the range"

    def with_cells(self, cells: Sequence[object], code: IntArray, point: NDArray[Any], kept: NDArray[np.bool_]) -> Self:
        """The same column with other cells, such as masked ones."""
        dropped = np.zeros(len(cells), dtype=bool)
        return replace(self, cells=tuple(cells), code=code, point=point, kept=kept, dropped=dropped)


class Release(ABC):
    """How the points of one column are written as released text, and how that text is read back."""

    def __init__(self, column: Column) -> None:
        self._column = column

    @abstractmethod
    def cell(self, point: Any) -> object:
        """The cell that a point is released as."""

    def cells(self, points: Points) -> list[object]:
        """The cells that all points of a column are released as."""
        return [self.cell(point) for point in points.tolist()]

    @abstractmethod
    def find(self, text: str) -> Any:
        """The point of a released text; ``None`` if it has none."""

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """The points of released cells. An error carries the cells that cannot be read."""
        texts = [cell_text(cell) for cell in cells]
        found = [None if text is None else self.find(text) for text in texts]
        unread = [text or "a missing cell" for text, point in zip(texts, found, strict=True) if point is None]
        if unread:
            name, mismatch = self._column.name, self._column.kind.mismatch
            raise TableError(
                f"Cannot read {len(unread):,} cells of the column {name!r}: they are {mismatch}. Replace them, or say "
                f"what they mean in 'mapping'. ",
                Wording("They are in this error's 'values'."),
                column=name,
                values=unread,
            )
        return make_points(found, self._column.point.dtype)

    def released(self, points: NDArray[Any]) -> NDArray[Any]:
        """The points as they are read back after release: a mean that is released rounded, rounded."""
        return points


class MaskedReader(ABC):
    """Reads the text of a masked column, ours or another tool's, and counts what was not exact.

    ``listed`` has the points of the values that a text lists, where the text is read as a wider point.
    """

    listed: Mapping[str, Sequence[int]] = MappingProxyType({})

    @abstractmethod
    def read(self, text: str | None) -> Any:
        """The point of a text, also of a suppressed cell. Raises LookupError if the text has no meaning."""

    @abstractmethod
    def notes(self) -> list[Note]:
        """What should be known about how the cells were read."""
