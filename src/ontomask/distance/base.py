"""`Distance`: how far apart two concepts are, for pairs, rows and matrices."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.ties import levels_of
from ontomask.errors import DistanceError
from ontomask.taxonomy import Taxonomy

__all__ = ["MEASURES", "Concept", "Distance", "FloatArray", "distance"]

Concept = str | int | np.integer
FloatArray = NDArray[np.floating]

MEASURES: dict[str, type[Distance]] = {}
"""Every distance by its name. A class with a ``name`` registers itself."""


class Distance(ABC):
    """A semantic distance over one taxonomy: 0 for equal concepts, symmetric, at most 1.

    Concepts are given by id or by integer code (their index in ``taxonomy.ids``). The distance inside a domain
    is the distance over ``taxonomy.domain(concept)``.

    Attributes
    ----------
    name
        The name by which `distance` finds it.
    is_metric
        Whether it satisfies the triangle inequality in every taxonomy.
    is_monotone
        Whether a concept with one parent is never nearer than that parent to a concept that is not below it: the
        distance grows with each link, subsumer or bit of content.
    links_only
        Whether it depends on the is-a links only.
    """

    name: ClassVar[str]
    is_metric: ClassVar[bool] = False
    is_monotone: ClassVar[bool] = False
    links_only: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in vars(cls):
            MEASURES[cls.name] = cls

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy

    def options(self) -> dict[str, Any]:
        """The measure's options with their values."""
        names = list(inspect.signature(type(self)).parameters)[1:]
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.options().items() if np.isscalar(value))
        return f"distance({self.name!r}, {self.taxonomy!r}{given})"

    def __call__(self, a: Concept, b: Concept) -> float:
        """The distance between two concepts."""
        return float(self.pairs([a], [b])[0])

    def row(self, a: Concept, dtype: str = "float32") -> FloatArray:
        """Distances from a concept to every concept, in the order of ``taxonomy.ids``."""
        return self._row(int(self._codes([a])[0]), _float_type(dtype))

    def levels(self, a: Concept) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Distances from a concept to every concept, as levels.

        Returns the level of each concept, and the distance of each level, ascending. Equal and tied distances have the
        same level. Levels from different concepts cannot be compared.
        """
        return self._levels(int(self._codes([a])[0]))

    def _levels(self, a: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        return levels_of(self._row(a, np.dtype(np.float64)))

    def matrix(
        self, A: Sequence[Concept] | IntArray, B: Sequence[Concept] | IntArray | None = None, dtype: str = "float32"
    ) -> FloatArray:
        """Distances between every concept of ``A`` (rows) and every concept of ``B`` (columns, by default ``A``)."""
        rows = self._codes(A)
        return self._matrix(rows, rows if B is None else self._codes(B), _float_type(dtype))

    def pairs(self, A: Sequence[Concept] | IntArray, B: Sequence[Concept] | IntArray) -> NDArray[np.float64]:
        """Distances between ``A[i]`` and ``B[i]``, for every i."""
        a, b = self._codes(A), self._codes(B)
        if len(a) != len(b):
            raise DistanceError(
                f"The lists of pairs() must have the same length. Got {len(a):,} and {len(b):,} concepts instead.",
                parameter="B",
                code="lengths",
            )
        return self._pairs(a, b)

    def _codes(self, concepts: Iterable[Any]) -> IntArray:
        if isinstance(concepts, str):
            raise DistanceError(
                f"Expected several concepts, got the text {concepts!r}. Give a list: [{concepts!r}].", code="not-a-list"
            )
        given = concepts if isinstance(concepts, np.ndarray) else list(concepts)
        if len(given) == 0:
            return np.empty(0, dtype=np.int32)
        if isinstance(given, np.ndarray) and given.ndim != 1:
            raise DistanceError(
                f"Expected a list of concepts, got an array of shape {given.shape}. Flatten it first.", code="not-flat"
            )
        if isinstance(given[0], bool) or not isinstance(given[0], (int, np.integer)):
            return self.taxonomy.codes(given)
        codes = np.asarray(given)
        if codes.dtype.kind not in "iu" or codes.min() < 0 or codes.max() >= len(self.taxonomy):
            most = len(self.taxonomy) - 1
            raise DistanceError(
                f"Some integer codes do not exist. Give codes from 0 to {most:,}, the concepts of {self.taxonomy!r}.",
                code="unknown-codes",
            )
        return np.ascontiguousarray(codes, dtype=np.int32)

    @abstractmethod
    def _row(self, a: int, dtype: np.dtype[Any]) -> FloatArray: ...

    @abstractmethod
    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray: ...

    @abstractmethod
    def _pairs(self, a: IntArray, b: IntArray) -> NDArray[np.float64]: ...


def _float_type(dtype: str) -> np.dtype[Any]:
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.dtype("float32"), np.dtype("float64")):
        raise DistanceError(f"The dtype must be 'float32' or 'float64'. Got {dtype!r} instead.", parameter="dtype")
    return wanted


def distance(name: str, taxonomy: Taxonomy, **options: Any) -> Distance:
    """A semantic distance by its name.

    Parameters
    ----------
    name
        The ``name`` of a class of distances, such as ``wu_palmer`` or ``log_sc``. `MEASURES` has all.
    taxonomy
        The concepts. For distances inside a domain, give ``taxonomy.domain(concept)``.
    options
        The options of the measure's class, such as ``root_depth`` of `WuPalmer`.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> d = om.distance("wu_palmer", t)
    >>> d("ache", "colic") == 1 - 2 * 2 / (2 * 2 + 1 + 1)
    True
    >>> d.row("ache").tolist() == [0.5, 0.20000000298023224, 0.0, 0.3333333432674408]
    True
    """
    measure = MEASURES.get(name)
    if measure is None:
        raise DistanceError(
            f"{name!r} is not a semantic distance. Choose one of: {', '.join(sorted(MEASURES))}.",
            parameter="name",
            values=[str(name)],
        )
    if not isinstance(taxonomy, Taxonomy):
        raise DistanceError(
            f"The taxonomy of a distance must be a Taxonomy. Got {type(taxonomy).__name__} instead.",
            parameter="taxonomy",
        )
    known = list(inspect.signature(measure).parameters)[1:]
    unknown = [option for option in options if option not in known]
    if unknown:
        hint = f"Choose from: {', '.join(known)}." if known else "Leave it out."
        raise DistanceError(f"The distance {name!r} has no option {unknown[0]!r}. {hint}", parameter=unknown[0])
    return measure(taxonomy, **options)
