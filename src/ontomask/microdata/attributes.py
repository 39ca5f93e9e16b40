"""What a column holds: concepts, numbers, or categories in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from ontomask.base.text import join_some
from ontomask.distance import Distance, distance
from ontomask.errors import TableError
from ontomask.taxonomy import Taxonomy

__all__ = ["Attribute", "Nominal", "Numeric", "Ordinal"]


@dataclass(frozen=True, eq=False)
class Nominal:
    """A column whose values mean concepts of a taxonomy.

    Parameters
    ----------
    taxonomy
        The ontology.
    distance
        The semantic distance: a name, or a dictionary with options such as
        ``{"name": "wu_palmer", "root_depth": 0}``.
    mapping
        For some values a concept id, or a label with or without a sense (``"tiger#2"``). Keys that the column lacks
        are allowed and reported.
    domain
        The concept that names the attribute's domain; by default the least common subsumer of the values present.
        Nothing outside the domain is ever released.
    scope
        Where depths and subsumers are counted: inside the ``domain``, or in the whole ``ontology``.
    weight
        The attribute's weight in distances between records.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Nominal(om.load_wordnet(), mapping={"Tech-support": "technician"}, domain="person").scope
    'domain'
    """

    taxonomy: Taxonomy
    distance: str | Mapping[str, Any] = "wu_palmer"
    mapping: Mapping[str, str] | None = None
    domain: str | None = None
    scope: Literal["domain", "ontology"] = "domain"
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.taxonomy, Taxonomy):
            raise TableError(
                f"The 'taxonomy' of Nominal must be a Taxonomy. Got {type(self.taxonomy).__name__} instead."
            )
        if self.scope not in ("domain", "ontology"):
            raise TableError(f"The 'scope' of Nominal must be 'domain' or 'ontology'. Got {self.scope!r} instead.")
        named = isinstance(self.distance, str) or (isinstance(self.distance, Mapping) and "name" in self.distance)
        if not named:
            raise TableError(
                "The 'distance' of Nominal must be a name, or a dictionary with the key 'name' and options. "
                f"Got {self.distance!r} instead."
            )
        check_weight(self.weight, "Nominal")

    def __repr__(self) -> str:
        # Keys of the mapping are values of the column: they are not for tracebacks and logs.
        mapping = f"<{len(self.mapping):,} values>" if self.mapping else None
        return (
            f"Nominal({self.taxonomy!r}, distance={self.distance!r}, mapping={mapping}, domain={self.domain!r}, "
            f"scope={self.scope!r}, weight={self.weight!r})"
        )

    def distance_over(self, taxonomy: Taxonomy) -> Distance:
        """The attribute's distance over a taxonomy: its domain or the whole."""
        if isinstance(self.distance, str):
            return distance(self.distance, taxonomy)
        options = dict(self.distance)
        return distance(options.pop("name"), taxonomy, **options)


@dataclass(frozen=True)
class Numeric:
    """A column of numbers; distances are shares of the range, ``centre`` is what a group of numbers becomes.

    A mean is rounded to as many decimals as the column has, so that whole numbers stay whole.
    """

    weight: float = 1.0
    centre: Literal["mean", "median"] = "mean"

    def __post_init__(self) -> None:
        check_weight(self.weight, "Numeric")
        if self.centre not in ("mean", "median"):
            raise TableError(f"The 'centre' of Numeric must be 'mean' or 'median'. Got {self.centre!r} instead.")


@dataclass(frozen=True)
class Ordinal:
    """A column of categories in the given order; a group of them becomes its (lower) median."""

    categories: Sequence[str]
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_weight(self.weight, "Ordinal")
        given = list(self.categories) if not isinstance(self.categories, str) else []
        if len(given) < 2 or any(not isinstance(c, str) for c in given):
            raise TableError(
                f"The 'categories' of Ordinal must be a list of at least two texts, lowest first. "
                f"Got {self.categories!r} instead."
            )
        twice = [c for i, c in enumerate(given) if c in given[:i]]
        if twice:
            raise TableError(f"The 'categories' of Ordinal name {join_some(twice)} more than once. Keep one of each.")
        object.__setattr__(self, "categories", tuple(given))

    def __repr__(self) -> str:
        # Categories are values of the column: they are not for tracebacks and logs.
        return f"Ordinal(<{len(self.categories):,} categories>, weight={self.weight!r})"


Attribute = Nominal | Numeric | Ordinal


def check_weight(weight: float, kind: str) -> None:
    """Weights are positive numbers."""
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 < float(weight) < math.inf:
        raise TableError(f"The 'weight' of {kind} must be a number > 0. Got {weight!r} instead.")
