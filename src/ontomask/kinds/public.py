"""Public domains: what a column can be released as, whatever the data hold.

A privacy claim that needs no assumption about the intruder holds only if nothing but the value itself depends on the
data: not the candidates, not their distances, not their spelling. A public domain follows from what the user states
about the column: the taxonomy and its ``domain``, the ``categories``, the ``values`` or the ``grid``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.errors import MaskingError, Setting
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.ranges import is_off_line
from ontomask.operators.space import Points
from ontomask.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.kinds.base import Column, Release

__all__ = ["ANY_INPUT", "ConceptDomain", "LineDomain", "PublicDomain", "concepts_above", "grid_points", "not_public"]

ANY_INPUT = -1
"""The input of a cell that may be any value, where that is not a candidate."""

# Distances that are this close to a step, in steps, are on it.
_ROUNDING = 1e-6


def not_public(column: Column, *what: object, parameter: str | None = None) -> MaskingError:
    """The error for a column whose candidates would depend on the data."""
    return MaskingError(
        f"The column {column.name!r} has no public domain. ", *what, column=column.name, parameter=parameter
    )


@dataclass(frozen=True, eq=False)
class PublicDomain(ABC):
    """The candidates of a column, and their distances from everything that a cell can mean.

    Attributes
    ----------
    column
        The column's name.
    points
        The candidates as points of the column, ascending.
    release
        How candidates are written. It depends on the description of the column only.
    distance
        The distance in a few words.
    is_metric
        Whether the distance satisfies the triangle inequality.
    """

    column: str
    points: Points
    release: Release
    distance: str
    is_metric: bool

    def __len__(self) -> int:
        return len(self.points)

    @property
    @abstractmethod
    def all_inputs(self) -> IntArray:
        """Everything that a cell can mean, as numbers."""

    @abstractmethod
    def inputs(self, points: Points) -> IntArray:
        """What cells mean, as numbers: each depends on its own point only."""

    @abstractmethod
    def row(self, number: int, steps: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """The distances of an input from all candidates, rounded up to multiples of 1/steps.

        Returns for each candidate the index of its distance, and the list of distances in steps. Rounding up keeps the
        triangle inequality, since ⌈a + b⌉ ≤ ⌈a⌉ + ⌈b⌉.
        """

    def levels(self, inputs: IntArray, steps: int) -> NDArray[np.int16]:
        """The distances of inputs (rows) from all candidates (columns), in steps."""
        out = np.empty((len(inputs), len(self)), dtype=np.int16)
        for row, number in zip(out, inputs.tolist(), strict=True):
            index, distances = self.row(number, steps)
            row[:] = distances[index]
        return out

    @abstractmethod
    def describe(self, number: int) -> str:
        """An input for reading."""

    def up_to(self, depth: int | None) -> PublicDomain:  # noqa: ARG002
        """The domain with fewer candidates: concepts down to a depth. Other kinds of values have no depth."""
        return self

    def cells(self) -> list[object]:
        """What all candidates are released as."""
        return self.release.cells(self.points)


@dataclass(frozen=True, eq=False)
class ConceptDomain(PublicDomain):
    """Concepts of a taxonomy. An input is the code of a concept, which need not be a candidate."""

    space: NominalSpace
    depth: int | None = None

    @property
    def all_inputs(self) -> IntArray:
        """All concepts of the domain, or those down to the depth."""
        concepts = np.arange(len(self.space.domain), dtype=np.int32)
        return concepts if self.depth is None else np.unique(self._above).astype(np.int32)

    @cached_property
    def _above(self) -> IntArray:
        return concepts_above(self.space.domain, self.depth or 0)

    def inputs(self, points: Points) -> IntArray:
        """The codes of the concepts, or of those above them at the depth."""
        codes = np.asarray(points, dtype=np.int32)
        return codes if self.depth is None else self._above[codes]

    def up_to(self, depth: int | None) -> ConceptDomain:
        """The concepts down to a depth as candidates, and deeper values as theirs. Categories stay as they are."""
        if depth is None or len(self) < len(self.space.domain):
            return self
        points = np.unique(concepts_above(self.space.domain, depth)).astype(np.int32)
        return replace(self, points=points, depth=depth)

    @cached_property
    def _candidates(self) -> IntArray | None:
        """The candidates as codes of the distance's taxonomy; ``None`` if they are all of its concepts."""
        codes = self.space.in_distance(self.points)
        return None if len(codes) == len(self.space.distance.taxonomy) else codes

    def row(self, number: int, steps: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Semantic distances."""
        code = self.space.in_distance(np.array([number], dtype=np.int32))
        index, exact = self.space.distance.levels(code[0])
        rounded = np.ceil(exact * steps - _ROUNDING)
        if not (rounded <= steps).all():
            text = f"The distance {self.distance!r} of {self.column!r} is above 1. Choose another distance."
            raise MaskingError(text, column=self.column, parameter="distance")
        distances = np.maximum(rounded, 0).astype(np.int64)
        return (index if self._candidates is None else index[self._candidates]), distances

    def describe(self, number: int) -> str:
        """The concept's label and id."""
        domain = self.space.domain
        name, label = domain.ids[number], domain.texts.first(number)
        return name if label == name else f"{label} ({name})"


def concepts_above(domain: Taxonomy, depth: int) -> IntArray:
    """For each concept of a domain the one above it at a depth, or itself if it is not deeper.

    Of several parents the first decides.
    """
    graph = domain.graph
    above = np.arange(len(graph), dtype=np.int32)
    for code in np.argsort(graph.depth, kind="stable").tolist():
        if graph.depth[code] > depth:
            above[code] = above[graph.parent[graph.parent_start[code]]]
    return above


@dataclass(frozen=True, eq=False)
class LineDomain(PublicDomain):
    """Candidates on a line, at ascending integer ``positions``. An input is the number of the nearest candidate."""

    positions: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.positions) < 2:
            raise MaskingError(
                f"The public domain of {self.column!r} has a single value. State a wider one.", column=self.column
            )

    @property
    def all_inputs(self) -> IntArray:
        """All candidates, and a cell that may be any of them."""
        return np.arange(ANY_INPUT, len(self), dtype=np.int32)

    def inputs(self, points: Points) -> IntArray:
        """The nearest candidate, the lower of two; beyond the ends, the end."""
        off, x = is_off_line(points), np.real(points)
        middles = (self.points[:-1] + self.points[1:]) / 2
        return np.where(off, ANY_INPUT, np.searchsorted(middles, x, side="left")).astype(np.int32)

    def row(self, number: int, steps: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Shares of the line. A cell that may be any value is equally far from all candidates."""
        if number == ANY_INPUT:
            return np.zeros(len(self), dtype=np.int64), np.zeros(1, dtype=np.int64)
        at = self.positions
        apart = np.abs(at - at[number])
        return -(-apart * steps // int(at[-1] - at[0])), np.arange(steps + 1)

    def describe(self, number: int) -> str:
        """The candidate as it is released."""
        return "any value" if number == ANY_INPUT else str(self.release.cell(self.points[number]))


def grid_points(column: Column, grid: Any) -> Any:
    """The grid that the user stated; an error that says so if there is none."""
    if grid is None:
        raise not_public(
            column,
            "State the values that it can be released as, without looking at the data: ",
            Setting("columns", column.name, "grid"),
            ".",
            parameter="grid",
        )
    return grid
