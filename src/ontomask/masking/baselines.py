"""Distortions that do not look at meaning: what the semantic methods are measured against."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.text import cell_text, join_some
from ontomask.errors import MaskingError
from ontomask.kinds import Column
from ontomask.masking.base import PRIVATE, Method, Planned
from ontomask.masking.transitions import Transitions, by_column
from ontomask.microdata import Microdata, TuplePlan
from ontomask.microdata.frequency import Values

__all__ = ["PRAM", "NaiveDistortion", "ProbabilisticDistortion"]

# How far from 1 the probabilities of a row may add up, to allow for rounding in a file.
_ROUNDING = 1e-6


@dataclass(frozen=True, repr=False, eq=False)
class ByChance(Method):
    """Every value of every record is replaced on its own, by chance, by a value that the column has."""

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        table = data.table
        places = table.tuples[table.inverse]
        unchanged = {}
        for j, (column, values) in enumerate(zip(table.columns, table.values, strict=True)):
            # Cells that are kept as they stand come last among the values, and stay.
            free = int((~values.kept).sum())
            moved = np.flatnonzero(places[:, j] < free)
            before = places[moved, j]
            counts = np.bincount(before, minlength=free)
            places[moved, j] = self._draw(column, values, counts, before, rng)
            unchanged[column.name] = float(np.mean(places[moved, j] == before)) if len(moved) else 1.0
        return Planned(TuplePlan.of_records(table, places), details={"unchanged": unchanged})

    def transitions(self, data: Microdata) -> Transitions:
        """The probabilities that new values are drawn with, column by column."""
        self.check(data)
        return by_column(data, self._probabilities)

    @abstractmethod
    def _probabilities(
        self, column: Column, values: Values, counts: NDArray[np.int64], places: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """For some values of a column, given by their places, the probabilities of all values."""

    @abstractmethod
    def _draw(
        self,
        column: Column,
        values: Values,
        counts: NDArray[np.int64],
        before: NDArray[np.integer],
        rng: np.random.Generator,
    ) -> NDArray[np.integer]:
        """New places of values for the records that have the places ``before``."""


@dataclass(frozen=True, repr=False)
class NaiveDistortion(ByChance):
    """Replace every value by one of the column's other distinct values, all equally likely (N section 5).

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> om.NaiveDistortion().mask(data, seed=0).frame["symptom"].tolist()
    ['colic', 'ache', 'colic']
    """

    def check(self, data: Microdata) -> None:
        """Refuse a column of one value: it has no other."""
        super().check(data)
        for column, values in zip(data.table.columns, data.table.values, strict=True):
            if (~values.kept).sum() == 1:
                raise MaskingError(
                    f"NaiveDistortion cannot mask {column.name!r}: it has one value, and there is no other to replace "
                    f"it by."
                )

    def _draw(
        self,
        column: Column,  # noqa: ARG002
        values: Values,  # noqa: ARG002
        counts: NDArray[np.int64],
        before: NDArray[np.integer],
        rng: np.random.Generator,
    ) -> NDArray[np.integer]:
        drawn = rng.integers(0, max(len(counts) - 1, 1), size=len(before))
        return drawn + (drawn >= before)

    @property
    def keeps_values(self) -> bool:
        """Never: every value is replaced by another."""
        return False

    def _probabilities(
        self,
        column: Column,  # noqa: ARG002
        values: Values,  # noqa: ARG002
        counts: NDArray[np.int64],
        places: NDArray[np.integer],
    ) -> NDArray[np.float64]:
        out = np.full((len(places), len(counts)), 1 / max(len(counts) - 1, 1))
        out[np.arange(len(places)), places] = 0.0
        return out


@dataclass(frozen=True, repr=False)
class ProbabilisticDistortion(ByChance):
    """Replace every value by one drawn as often as it occurs in the column (N section 5); it may be the same again."""

    def _draw(
        self,
        column: Column,  # noqa: ARG002
        values: Values,  # noqa: ARG002
        counts: NDArray[np.int64],
        before: NDArray[np.integer],
        rng: np.random.Generator,
    ) -> NDArray[np.integer]:
        return rng.choice(len(counts), size=len(before), p=counts / counts.sum()) if len(before) else before

    def _probabilities(
        self,
        column: Column,  # noqa: ARG002
        values: Values,  # noqa: ARG002
        counts: NDArray[np.int64],
        places: NDArray[np.integer],
    ) -> NDArray[np.float64]:
        return np.tile(counts / counts.sum(), (len(places), 1))


@dataclass(frozen=True, repr=False, eq=False)
class PRAM(ByChance):
    """Post-randomisation: replace every value by the probabilities of a Markov matrix (Kooiman et al. 1997).

    Parameters
    ----------
    stay
        Where no matrix is given, one is estimated from the data: a value stays with this probability (0 ≤ stay < 1),
        else it becomes any of the column's values by its frequency. The expected frequencies then stay what they are
        (invariant PRAM, Gouweleeuw et al. 1998).
    matrices
        By column, its values (as the cells read, or as concept ids) and the matrix of their transitions, one row a
        value. Rows add up to 1; every value of the column must have one, and a value that the column lacks must not
        be reached. A column without a matrix takes the estimated one.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> swap = {"symptom": (["ache", "colic"], [[0, 1], [1, 0]])}
    >>> om.PRAM(matrices=swap).mask(data, seed=0).frame["symptom"].tolist()
    ['colic', 'ache', 'colic']
    """

    stay: float = 0.8
    matrices: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = field(default=None, metadata=PRIVATE)

    def __post_init__(self) -> None:
        if not isinstance(self.stay, (int, float)) or isinstance(self.stay, bool) or not 0 <= self.stay < 1:
            raise MaskingError(
                f"The 'stay' parameter of PRAM must be a probability, 0 ≤ stay < 1. Got {self.stay!r} instead."
            )
        if self.matrices is not None and not isinstance(self.matrices, Mapping):
            raise MaskingError(
                f"The 'matrices' parameter of PRAM must be a dictionary: by column, its values and the matrix. "
                f"Got {type(self.matrices).__name__} instead."
            )

    def check(self, data: Microdata) -> None:
        """Refuse matrices for columns that are not masked."""
        super().check(data)
        absent = [name for name in self.matrices or {} if name not in data.quasi_identifiers]
        if absent:
            raise MaskingError(
                f"PRAM got matrices for {join_some(absent)}, which are no quasi-identifiers. These are: "
                f"{join_some(list(data.quasi_identifiers))}."
            )

    def _draw(
        self,
        column: Column,
        values: Values,
        counts: NDArray[np.int64],
        before: NDArray[np.integer],
        rng: np.random.Generator,
    ) -> NDArray[np.integer]:
        if not self.matrices or column.name not in self.matrices:
            moves = rng.random(len(before)) >= self.stay
            after = before.copy()
            after[moves] = rng.choice(len(counts), size=int(moves.sum()), p=counts / counts.sum())
            return after
        reached = np.cumsum(self._matrix(column, values, len(counts)), axis=1)
        after = np.empty_like(before)
        chance = rng.random(len(before))
        by_value = np.split(np.argsort(before, kind="stable"), np.cumsum(counts)[:-1])
        for v, mine in enumerate(by_value):
            # Rounding may leave the last sum below 1, and a value of probability 0 is never drawn.
            after[mine] = np.searchsorted(reached[v], chance[mine] * reached[v, -1], side="right")
        return after

    @property
    def keeps_values(self) -> bool:
        """Unless a matrix lets no value of its column stay."""
        return all(np.diagonal(np.asarray(matrix)).any() for _, matrix in (self.matrices or {}).values())

    def _probabilities(
        self, column: Column, values: Values, counts: NDArray[np.int64], places: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        if self.matrices and column.name in self.matrices:
            matrix = self._matrix(column, values, len(counts))[places]
            out: NDArray[np.float64] = matrix / matrix.sum(axis=1, keepdims=True)
            return out
        out = np.tile((1 - self.stay) * counts / counts.sum(), (len(places), 1))
        out[np.arange(len(places)), places] += self.stay
        return out

    def _matrix(self, column: Column, values: Values, size: int) -> NDArray[np.float64]:
        """The matrix of a column in the order of its values."""
        assert self.matrices is not None
        name = f"The matrix of PRAM for {column.name!r}"
        try:
            listed, given = self.matrices[column.name]
            matrix = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise MaskingError(f"{name} must be a pair: the values, and the numbers of a square matrix.") from None
        texts = [cell_text(value) for value in np.asarray(listed, dtype=object).ravel().tolist()]
        if matrix.shape != (len(texts), len(texts)) or len(set(texts)) < len(texts):
            raise MaskingError(
                f"{name} must have one row and one column for each of its {len(texts):,} distinct values. "
                f"Got the shape {matrix.shape} instead."
            )
        if not (matrix >= 0).all() or (np.abs(matrix.sum(axis=1) - 1) > _ROUNDING).any():
            raise MaskingError(f"{name} must hold probabilities, and every row must add up to 1.")
        place = {str(column.key(point)): i for i, point in enumerate(values.point[:size].tolist())}
        place |= {text: int(values.of_cell[i]) for i, cell in enumerate(column.cells) if (text := cell_text(cell))}
        at = np.array([place.get(text or "", -1) for text in texts], dtype=np.int64)
        present = np.flatnonzero((at >= 0) & (at < size))
        if len(np.unique(at[present])) < len(present):
            raise MaskingError(f"{name} has two rows for values that mean the same. Give one.")
        if len(present) < size:
            raise MaskingError(f"{name} lacks {size - len(present):,} of the column's {size:,} values. Give them rows.")
        absent = np.setdiff1d(np.arange(len(texts)), present)
        if matrix[np.ix_(present, absent)].any():
            raise MaskingError(f"{name} leads to {len(absent):,} values that the column does not have. Leave them out.")
        ordered = np.zeros((size, size))
        ordered[np.ix_(at[present], at[present])] = matrix[np.ix_(present, present)]
        return ordered
