"""Nominal columns that were encoded: concepts of a domain, with their distance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import visible
from ontomask.distance import Distance
from ontomask.errors import Setting
from ontomask.kinds.base import Column, Labels, MaskedReader, Policies, Release
from ontomask.kinds.concept_reader import ConceptReader
from ontomask.kinds.generalisations import Generalisations
from ontomask.kinds.own_values import add_own_concept, distance_apart
from ontomask.kinds.public import ConceptDomain, PublicDomain, not_public
from ontomask.kinds.spelling import NominalRelease, find_styles, safe_spellings
from ontomask.mapping import ColumnMapping
from ontomask.mapping.mapper import named_concepts, resolve
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.space import Points
from ontomask.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.kinds.nominal import Nominal

__all__ = ["NominalColumn", "nominal_columns"]


@dataclass(frozen=True, eq=False, repr=False)
class NominalColumn(Column):
    """Concepts of a domain: a point is a code of ``domain``."""

    kind: Nominal
    mapping: ColumnMapping
    domain: Taxonomy
    distance: Distance
    # The domain without values of their own.
    plain_domain: Taxonomy | None = field(default=None, kw_only=True)

    @cached_property
    def space(self) -> NominalSpace:
        """Concepts under the column's distance."""
        return NominalSpace(self.domain, self.distance, self.kind.weight)

    @property
    def anything(self) -> int:
        """The root of the domain."""
        return 0

    def with_own_value(self, which: str, cells: NDArray[np.bool_], policies: Policies) -> NominalColumn:
        """The column in which some kept cells are one more concept: see `ontomask.kinds.own_values`."""
        return add_own_concept(self, which, cells, policies)

    def generalisations(self, points: Points) -> Generalisations:
        """Subsumers along the is-a links of the domain."""
        return Generalisations.over_graph(self.domain.graph, points)

    def key(self, point: Any) -> str:
        """The concept's id."""
        return self.domain.ids[int(point)]

    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """Codes in the domain from ids."""
        return self.domain.codes(keys)

    def release(self, spellings: Mapping[Any, object]) -> NominalRelease:
        """Concepts in the data's own spelling, or by code or label."""
        return NominalRelease(self, spellings)

    def public_domain(self, distance: Any) -> PublicDomain:
        """All concepts of the domain that the user named, released by id or by label."""
        if self.kind.domain is None:
            raise not_public(
                self,
                "The least common subsumer of its values depends on the data. Name the concept that all possible "
                "values are below: ",
                Setting("columns", self.name, "domain"),
                ".",
                parameter="domain",
            )
        return self._concept_domain(self.under(distance, None), np.arange(len(self.domain), dtype=np.int32))

    def _concept_domain(self, column: NominalColumn, points: Points) -> ConceptDomain:
        words, is_metric = column.describe_distance(lambda _: False), column.distance.is_metric
        return ConceptDomain(self.name, points, self.without_data().release({}), words, is_metric, space=column.space)

    def without_data(self) -> NominalColumn:
        """The column as the user described it: its only cells are those that the user mapped."""
        kind, domain = self.kind, self.domain
        known = {
            key: domain.code(concept)
            for key, to in (kind.mapping or {}).items()
            if (concept := resolve(kind.taxonomy, to, domain=self.mapping.domain).concept) in domain
        }
        nothing = np.zeros(len(known), dtype=bool)
        return replace(
            self,
            cells=tuple(known),
            code=np.arange(len(known), dtype=np.int32),
            point=np.array(list(known.values()), dtype=np.int32),
            kept=nothing,
            dropped=nothing,
            mapping=replace(self.mapping, values=(), missing=0, unused_keys=()),
        )

    def safe_spellings(self, persons: NDArray[np.integer] | None, least: int) -> dict[Any, object]:
        """The most frequent cell that may be released for a concept; see `ontomask.kinds.spelling`."""
        return safe_spellings(self, persons, least)

    def masked_reader(self, release: Release, mapping: Mapping[str, str], labels: Labels) -> MaskedReader:
        """A reader of this column's text in a masked table."""
        return ConceptReader(self, release, mapping, labels)

    def names(self, key: Any) -> tuple[str, ...]:
        """The concept's id."""
        return (key,)

    def meanings(self, text: str) -> Iterator[int]:
        """The concepts of the domain that the text names."""
        named = named_concepts(self.domain, text)
        return (self.domain.code(concept) for concept in named if concept in self.domain)

    def count_before(
        self, mapped: ColumnMapping | None, rare_cells: Iterable[object]
    ) -> tuple[Counter[str], Counter[Any]]:
        """The records of values and of concepts before records were dropped."""
        if mapped is None:
            return super().count_before(mapped, rare_cells)
        texts: Counter[str] = Counter()
        points: Counter[Any] = Counter()
        for value in mapped.values:
            texts[value.value] += value.count
            if value.concept is not None and value.concept in self.domain:
                points[self.domain.code(value.concept)] += value.count
        return texts, points

    @cached_property
    def styles(self) -> Mapping[str, str]:
        """The values that are written as an ``id`` or as a ``label``."""
        return find_styles(self)

    @cached_property
    def holds_ids(self) -> bool:
        """Whether concepts are released as ids where the data's own spelling is not."""
        if self.kind.release != "source":
            return self.kind.release == "id"
        found = Counter(self.styles.values())
        return found["id"] > found["label"] or (self.domain.annotations.code_ids and found["id"] == found["label"])

    @property
    def is_released_as_text(self) -> bool:
        """Codes that were read as floats are released as their digits."""
        return any(isinstance(cell, float) for cell in self.cells)

    def has_same_domain(self, other: Column) -> bool:
        """Whether the other column has the same concepts."""
        domain = other.space.domain
        return domain is self.domain or (domain is not None and domain.ids == self.domain.ids)

    def under(self, distance: Any, scope: Any) -> NominalColumn:
        """The column under another distance or scope; ``None`` keeps its own."""
        if distance is None and scope is None:
            return self
        kind = replace(self.kind, distance=distance or self.kind.distance, scope=scope or self.kind.scope)
        within = kind.distance_over((self.plain_domain or self.domain) if kind.scope == "domain" else kind.taxonomy)
        if self.own:
            names = [value.text for value in self.own.values()]
            within = distance_apart(within, names, self.domain if kind.scope == "domain" else None)
        return replace(self, kind=kind, distance=within)

    def describe_distance(self, may_name: Callable[[str], bool]) -> str:
        """The distance with its options, and the root of its taxonomy where that may be named."""
        options = ", ".join(f"{n}={value!r}" for n, value in self.distance.options().items() if np.isscalar(value))
        root = self.distance.taxonomy.root
        under = f" under {visible(root)}" if may_name(root) else ""
        return f"{self.distance.name}{f' ({options})' if options else ''}{under}"


def nominal_columns(columns: Iterable[Column]) -> list[NominalColumn]:
    """The columns that hold concepts."""
    return [column for column in columns if isinstance(column, NominalColumn)]
