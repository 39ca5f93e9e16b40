"""Baselines: random distortions that ignore meaning, to compare the semantic methods with."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.text import cell_text, join_some
from ontomask.errors import MaskingError, Wording
from ontomask.masking.base import Method
from ontomask.masking.description import NO_PROMISE, PRIVATE, About, Rule
from ontomask.masking.results import Planned
from ontomask.masking.transitions import ColumnCounts, Matrix, Transitions, by_column, column_counts
from ontomask.microdata import Microdata, TuplePlan

__all__ = ["PRAM", "NaiveDistortion", "ProbabilisticDistortion"]

# The sum of a row of probabilities may differ from 1 by this much, because of rounding in a file.
_ROUNDING = 1e-6


@dataclass(frozen=True, repr=False, eq=False)
class ByChance(Method):
    """Each value of each record is replaced independently and at random by a value of its column."""

    @property
    def draws_cells(self) -> bool:
        """Yes."""
        return True

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        table = data.table
        tuples = table.record_tuples
        indices = table.tuples[tuples]
        unchanged = {}
        for j, of in enumerate(column_counts(table)):
            # Kept cells come last among the values, and stay.
            moved = np.flatnonzero(indices[:, j] < len(of.counts))
            if not len(moved):
                unchanged[of.column.name] = 1.0
                continue
            before = indices[moved, j]
            indices[moved, j] = self._draw(of, before, rng)
            unchanged[of.column.name] = float(np.mean(indices[moved, j] == before))
        return Planned(TuplePlan.of_records(table, indices, tuples), details={"unchanged": unchanged})

    def transitions(self, data: Microdata) -> Transitions:
        """The probabilities of new values, column by column."""
        self.check(data)
        return by_column(data, self._probabilities)

    @abstractmethod
    def _probabilities(self, of: ColumnCounts, indices: IntArray) -> Matrix:
        """The probabilities of all values of a column, for original values given by their indices."""

    @abstractmethod
    def _draw(self, of: ColumnCounts, before: IntArray, rng: np.random.Generator) -> NDArray[np.integer]:
        """The indices of new values for records whose values have the indices ``before``."""


@dataclass(frozen=True, repr=False)
class NaiveDistortion(ByChance):
    """Replace every value by another distinct value of its column, all equally likely (Rodriguez-Garcia 2017, 5).

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> om.NaiveDistortion().mask(data, seed=0).frame["symptom"].tolist()
    ['colic', 'ache', 'colic']
    """

    about: ClassVar[About] = About(
        what="Every value is replaced by another value of its column. All other values are equally likely.",
        why=f"It is a baseline: it shows what masking costs without regard to meaning or frequency. {NO_PROMISE}",
        summary="another value of the column, all equally likely",
        baseline=True,
    )

    def check(self, data: Microdata) -> None:
        """Refuse a column with a single value, which has no other."""
        super().check(data)
        for column, values in zip(data.table.columns, data.table.values, strict=True):
            if (~values.kept).sum() == 1:
                raise MaskingError(
                    f"NaiveDistortion cannot mask {column.name!r}: it has a single value, which cannot be replaced. "
                    f"Make the column an identifier to remove it, or use another method.",
                    column=column.name,
                )

    def _draw(self, of: ColumnCounts, before: IntArray, rng: np.random.Generator) -> NDArray[np.integer]:
        drawn = rng.integers(0, max(len(of.counts) - 1, 1), size=len(before))
        return drawn + (drawn >= before)

    @property
    def keeps_values(self) -> bool:
        """Never: every value is replaced by another."""
        return False

    def _probabilities(self, of: ColumnCounts, indices: IntArray) -> Matrix:
        out = np.full((len(indices), len(of.counts)), 1 / max(len(of.counts) - 1, 1))
        out[np.arange(len(indices)), indices] = 0.0
        return out


@dataclass(frozen=True, repr=False)
class ProbabilisticDistortion(ByChance):
    """Replace every value by one drawn by frequency from its column, maybe the same (Rodriguez-Garcia 2017, 5)."""

    about: ClassVar[About] = About(
        what="Every value is replaced by a value drawn from its column, by how often each occurs.",
        why=f"It is a baseline: it shows what masking costs without regard to meaning. {NO_PROMISE}",
        summary="a value of the column, drawn by frequency",
        baseline=True,
    )

    def _draw(self, of: ColumnCounts, before: IntArray, rng: np.random.Generator) -> NDArray[np.integer]:
        return rng.choice(len(of.counts), size=len(before), p=of.shares) if len(before) else before

    def _probabilities(self, of: ColumnCounts, indices: IntArray) -> Matrix:
        return np.tile(of.shares, (len(indices), 1))


_PROBABILITY = Rule(
    "a probability, 0 ≤ stay < 1",
    lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1,
)
_MATRICES = Rule(
    Wording(
        "a dictionary from column to a pair: its values and the matrix",
        "a table from columns to pairs: a list of values and the matrix",
    ),
    lambda value: isinstance(value, Mapping),
)


@dataclass(frozen=True, repr=False, eq=False)
class PRAM(ByChance):
    """Post-randomisation: replace every value with the probabilities of a Markov matrix (Kooiman et al. 1997).

    Parameters
    ----------
    stay
        For columns without a matrix: the probability that a value stays (0 ≤ stay < 1). Otherwise a value of the column
        is drawn by frequency. This keeps the expected frequencies (invariant PRAM, Gouweleeuw et al. 1998).
    matrices
        By column, its values (as in the cells, or as concept ids) and the matrix of transition probabilities, one row
        for each value. Rows add up to 1. Every value of the column must have a row, and values that the column lacks
        must have probability 0.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> swap = {"symptom": (["ache", "colic"], [[0, 1], [1, 0]])}
    >>> om.PRAM(matrices=swap).mask(data, seed=0).frame["symptom"].tolist()
    ['colic', 'ache', 'colic']
    """

    about: ClassVar[About] = About(
        what="Every value is kept or replaced at random, with probabilities that are known and can be published.",
        why=f"Analysts who know the probabilities can correct frequencies for them. Meaning is ignored. {NO_PROMISE}",
        summary="kept or replaced at random, with known probabilities",
        baseline=True,
    )

    stay: float = field(default=0.8, metadata=_PROBABILITY.metadata)
    matrices: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = field(
        default=None, metadata=_MATRICES.metadata | PRIVATE
    )

    def check(self, data: Microdata) -> None:
        """Refuse matrices for columns that are not quasi-identifiers."""
        super().check(data)
        absent = [name for name in self.matrices or {} if name not in data.quasi_identifiers]
        if absent:
            known = join_some(data.quasi_identifiers)
            raise self._wrong("matrices", f"must name quasi-identifiers ({known}). Got {join_some(absent)} instead.")

    def _draw(self, of: ColumnCounts, before: IntArray, rng: np.random.Generator) -> NDArray[np.integer]:
        if not self.matrices or of.column.name not in self.matrices:
            moves = rng.random(len(before)) >= self.stay
            after = before.copy()
            after[moves] = rng.choice(len(of.counts), size=int(moves.sum()), p=of.shares)
            return after
        reached = np.cumsum(self._matrix(of), axis=1)
        after = np.empty_like(before)
        chance = rng.random(len(before))
        by_value = np.split(np.argsort(before, kind="stable"), np.cumsum(of.counts)[:-1])
        for v, mine in enumerate(by_value):
            # Rounding may leave the last sum below 1. A value with probability 0 is never drawn.
            after[mine] = np.searchsorted(reached[v], chance[mine] * reached[v, -1], side="right")
        return after

    @property
    def keeps_values(self) -> bool:
        """Yes, unless the diagonal of a matrix is 0."""
        return all(np.diagonal(np.asarray(matrix)).any() for _, matrix in (self.matrices or {}).values())

    def _probabilities(self, of: ColumnCounts, indices: IntArray) -> Matrix:
        if self.matrices and of.column.name in self.matrices:
            matrix = self._matrix(of)[indices]
            out: Matrix = matrix / matrix.sum(axis=1, keepdims=True)
            return out
        out = np.tile((1 - self.stay) * of.counts / of.counts.sum(), (len(indices), 1))
        out[np.arange(len(indices)), indices] += self.stay
        return out

    def _matrix(self, of: ColumnCounts) -> Matrix:
        """The matrix of a column in the order of its values."""
        assert self.matrices is not None
        column, values, size = of.column, of.values, len(of.counts)

        def wrong(code: str, problem: str) -> MaskingError:
            text = f"The matrix of PRAM for {column.name!r} {problem}"
            return MaskingError(text, column=column.name, parameter="matrices", code=code)

        try:
            listed, given = self.matrices[column.name]
            matrix = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise wrong("not-a-matrix", "must be a pair: the values, and the numbers of a square matrix.") from None
        texts = [cell_text(value) for value in np.asarray(listed, dtype=object).ravel().tolist()]
        if matrix.shape != (len(texts), len(texts)) or len(set(texts)) < len(texts):
            raise wrong(
                "not-a-matrix",
                f"must have one row and one column for each of its {len(texts):,} distinct values. "
                f"Got the shape {matrix.shape} instead.",
            )
        if not (matrix >= 0).all() or (np.abs(matrix.sum(axis=1) - 1) > _ROUNDING).any():
            raise wrong("not-probabilities", "must hold probabilities, and every row must add up to 1.")
        index = {str(column.key(point)): i for i, point in enumerate(values.point[:size].tolist())}
        index |= {text: int(values.of_cell[i]) for i, cell in enumerate(column.cells) if (text := cell_text(cell))}
        at = np.array([index.get(text or "", -1) for text in texts], dtype=np.int64)
        present = np.flatnonzero((at >= 0) & (at < size))
        if len(np.unique(at[present])) < len(present):
            raise wrong("not-unique", "has two rows for values with the same meaning. Give one.")
        if len(present) < size:
            lacking = f"lacks {size - len(present):,} of the column's {size:,} values. Add a row for each."
            raise wrong("values-missing", lacking)
        absent = np.setdiff1d(np.arange(len(texts)), present)
        if matrix[np.ix_(present, absent)].any():
            raise wrong(
                "unknown-values", f"leads to {len(absent):,} values that the column does not have. Leave them out."
            )
        ordered = np.zeros((size, size))
        ordered[np.ix_(at[present], at[present])] = matrix[np.ix_(present, present)]
        return ordered
