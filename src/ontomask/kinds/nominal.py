"""Nominal columns: values that mean concepts of a taxonomy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_codes
from ontomask.base.text import cell_text
from ontomask.distance import Distance, distance
from ontomask.errors import READ_AS_TEXT, TableError, join_or
from ontomask.kinds.base import Kind, Policies, no_value
from ontomask.kinds.nominal_column import NominalColumn, nominal_columns
from ontomask.kinds.spelling import check_top
from ontomask.mapping import ColumnMapping, ConceptMapping, map_values
from ontomask.mapping.links import combine
from ontomask.mapping.mapper import check_targets, resolve
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.value_set import ValueSet

__all__ = ["Nominal", "NominalColumn", "check_not_mixed", "nominal_columns"]

_CHOICES = {
    "scope": ("domain", "ontology"),
    "release": ("source", "label", "id"),
    "combine": ("integrated", "in_order"),
}


@dataclass(frozen=True, eq=False)
class Nominal(Kind):
    """A column whose values mean concepts of a taxonomy.

    Parameters
    ----------
    taxonomy
        The ontology, or a list of several, which are merged into one.
    distance
        The semantic distance: a name, or a dictionary with options such as
        ``{"name": "wu_palmer", "root_depth": 0}``.
    mapping
        For some values a concept id, or a label with or without a sense (``"tiger#2"``). Keys that the column lacks
        are allowed and reported.
    domain
        The concept that names the attribute's domain; by default the least common subsumer of the values present.
        Concepts outside the domain are never released. Or a `ValueSet`: only its concepts, and those between them and
        their least common subsumer, remain in the taxonomy.
    scope
        Where depths and subsumers are counted: inside the ``domain``, or in the whole ``ontology``.
    weight
        The attribute's weight in distances between records.
    release
        How concepts are written. ``source``: in the data's own spelling where at least ten (or k) have it and it names
        the concept, else by id or by label, whichever the column holds. ``label`` or ``id``: all in that style.
    top
        The text that the root of the domain is released as, such as ``"any diagnosis"``.
    links
        For several ontologies: which concepts are equivalent, or is-a. Pairs of ids, with or without a relation (see
        `ontomask.merge_taxonomies`), the path of a file (see `ontomask.read_links`), or ``"xrefs"`` for the
        cross-references of the ontologies.
    combine
        Which of several ontologies a value is mapped to: ``integrated``, all together, or ``in_order``, the first that
        knows it.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Nominal(om.load_wordnet(), mapping={"Tech-support": "technician"}, domain="person").scope
    'domain'
    """

    name: ClassVar[str] = "nominal"
    values_in_words: ClassVar[str] = "concepts"
    mismatch: ClassVar[str] = "without a concept"

    taxonomy: Taxonomy
    if TYPE_CHECKING:

        def __init__(
            self,
            taxonomy: Taxonomy | Sequence[Taxonomy],
            distance: str | Mapping[str, Any] = "wu_palmer",
            mapping: Mapping[str, str] | None = None,
            domain: str | ValueSet | None = None,
            scope: Literal["domain", "ontology"] = "domain",
            weight: float = 1.0,
            release: Literal["source", "label", "id"] = "source",
            top: str | None = None,
            *,
            links: Any = None,
            combine: Literal["integrated", "in_order"] = "integrated",
        ) -> None: ...

    distance: str | Mapping[str, Any] = "wu_palmer"
    mapping: Mapping[str, str] | None = None
    domain: str | ValueSet | None = None
    scope: Literal["domain", "ontology"] = "domain"
    weight: float = 1.0
    release: Literal["source", "label", "id"] = "source"
    top: str | None = None
    links: Any = field(default=None, kw_only=True)
    combine: Literal["integrated", "in_order"] = field(default="integrated", kw_only=True)

    def __post_init__(self) -> None:
        self._merge()
        if not isinstance(self.taxonomy, Taxonomy):
            raise TableError(
                f"The 'taxonomy' of {type(self).__name__} must be a Taxonomy. "
                f"Got {type(self.taxonomy).__name__} instead.",
                parameter="taxonomy",
            )
        if isinstance(self.domain, ValueSet):
            taxonomy, domain = self.domain.restrict(self.taxonomy)
            object.__setattr__(self, "taxonomy", taxonomy)
            object.__setattr__(self, "domain", domain)
        for option, allowed in _CHOICES.items():
            if getattr(self, option) not in allowed:
                raise TableError(
                    f"The {option!r} of {type(self).__name__} must be {join_or([repr(one) for one in allowed])}. "
                    f"Got {getattr(self, option)!r} instead.",
                    parameter=option,
                )
        named = isinstance(self.distance, str) or (isinstance(self.distance, Mapping) and "name" in self.distance)
        if not named:
            raise TableError(
                f"The 'distance' of {type(self).__name__} must be a name, or a dictionary with the key 'name' and "
                f"options. Got {self.distance!r} instead.",
                parameter="distance",
            )
        self.check_weight()
        self.check_top()

    def _merge(self) -> None:
        """Merge several ontologies into one."""
        given: Any = self.taxonomy
        if isinstance(given, (list, tuple)) and given and all(isinstance(one, Taxonomy) for one in given):
            several = len(given) > 1
            made = combine(given, self.links, in_order=self.combine == "in_order") if several else given[0]
            object.__setattr__(self, "taxonomy", made)
            # The links are part of the merged taxonomy, and another column like this one must not merge it again.
            object.__setattr__(self, "links", None if several else self.links)
        if self.links is not None:
            text = f"Only a {type(self).__name__} with several ontologies has 'links'. Give a list, or leave it out."
            raise TableError(text, parameter="links")

    def __repr__(self) -> str:
        # Keys of the mapping are values of the column: they must not show in tracebacks and logs.
        mapping = f"<{len(self.mapping):,} values>" if self.mapping else None
        return (
            f"Nominal({self.taxonomy!r}, distance={self.distance!r}, mapping={mapping}, domain={self.domain!r}, "
            f"scope={self.scope!r}, weight={self.weight!r}, release={self.release!r}, top={self.top!r})"
        )

    @property
    def _domain(self) -> str | None:
        assert not isinstance(self.domain, ValueSet)  # it was replaced by a concept
        return self.domain

    def distance_over(self, taxonomy: Taxonomy) -> Distance:
        """The attribute's distance over a taxonomy: its domain or the whole ontology."""
        if isinstance(self.distance, str):
            return distance(self.distance, taxonomy)
        options = dict(self.distance)
        return distance(options.pop("name"), taxonomy, **options)

    def check_domain(self) -> None:
        """Raise an error if the domain is not a concept."""
        if self._domain is not None:
            resolve(self.taxonomy, self._domain, what="The domain")

    def check_mapping(self) -> None:
        """Raise an error if the mapping names something that is not a concept of the domain.

        A ConceptMap may: only the targets of the column's values must be concepts.
        """
        if isinstance(self.mapping, ConceptMapping):
            return
        domain = None if self._domain is None else resolve(self.taxonomy, self._domain).concept
        check_targets(self.taxonomy, self.mapping or {}, domain)

    def check_distance(self) -> None:
        """Raise an error if the distance does not exist or does not have these options."""
        self.distance_over(self.taxonomy)

    def map(self, counts: Mapping[Any, int], column: str, missing_tokens: Sequence[str]) -> ColumnMapping:
        """How cells with counts map to concepts."""
        return map_values(
            counts, self.taxonomy, self.mapping, domain=self._domain, column=column, missing_tokens=missing_tokens
        )

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts without a concept."""
        return [value.value for value in self.map(dict.fromkeys(texts, 1), "", ()).unmapped]

    def _encode(
        self, name: str, cells: Sequence[object], code: IntArray, policies: Policies, records: Records
    ) -> NominalColumn:
        check_not_mixed(name, cells)
        is_code = self.taxonomy.annotations.code_ids
        texts = [cell_text(cell, code_column=is_code, column=name) for cell in cells]
        counts: Counter[str] = Counter()
        for text, count in zip(texts, count_codes(code, len(cells), records).tolist(), strict=True):
            counts[text or ""] += count
        # Missing cells come last; map_values counts them under the empty text.
        missing = counts.pop("", 0)
        mapped = self.map({**counts, **({"": missing} if missing else {})}, name, policies.missing_tokens)
        if not mapped.values:
            raise no_value(name)
        decision = mapped.decide(unmapped=policies.unmapped, missing=policies.missing)
        if not decision.concepts:
            raise mapped.complaint()
        gone = [text is None or text in policies.missing_tokens for text in texts]
        kept = [decision.keep_missing if g else t in decision.kept for t, g in zip(texts, gone, strict=True)]
        dropped = [decision.drop_missing if g else t in decision.dropped for t, g in zip(texts, gone, strict=True)]
        concepts = sorted(set(decision.concepts.values()))
        taxonomy = self.taxonomy
        domain = taxonomy.domain(mapped.domain) if mapped.domain is not None else self._domain_of(concepts, any(kept))
        codes = {text: domain.code(concept) for text, concept in decision.concepts.items()}
        column = self._column(
            name,
            self,
            tuple(cells),
            code,
            np.array([-1 if text is None else codes.get(text, -1) for text in texts], dtype=np.int32),
            np.array(kept, dtype=bool),
            np.array(dropped, dtype=bool),
            mapped,
            domain,
            self.distance_over(domain if self.scope == "domain" else taxonomy),
            records=records,
        )
        if self.top is not None:
            check_top(column, self.top, policies)
        return column

    def _domain_of(self, concepts: Sequence[str], has_others: bool) -> Taxonomy:
        """The domain of the concepts of a column, which may also have cells without a concept.

        These may be released as its root. So the root must not be a value of other cells: it would look like theirs.
        """
        domain = self.taxonomy.domain_of(concepts)
        return self.taxonomy if has_others and domain.root in concepts else domain

    def _column(self, *parts: Any, records: Records) -> NominalColumn:
        return NominalColumn(*parts, records=records)


def check_not_mixed(name: str, cells: Sequence[object]) -> None:
    """Raise an error if a column holds both texts and numbers."""
    present = [cell for cell in cells if cell_text(cell) is not None]
    texts = sum(isinstance(cell, str) for cell in present)
    if 0 < texts < len(present):
        raise TableError(
            f"The column {name!r} mixes texts and numbers ({texts:,} distinct texts, {len(present) - texts:,} others). "
            f"Codes read as numbers lose zeros. ",
            READ_AS_TEXT,
            column=name,
        )
