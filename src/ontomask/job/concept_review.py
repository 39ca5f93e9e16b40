"""Review how the values of a column are mapped: what needs attention first, the alternatives and their neighbours.

The mapping in the job is laid over what the rules find by themselves, so that an edit of one value costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from ontomask.errors import MappingError
from ontomask.job.ontologies import EMBEDDED, listed
from ontomask.job.settings import Settings
from ontomask.kinds import Kind
from ontomask.mapping import ColumnMapping
from ontomask.mapping.mapper import named_concepts, resolve
from ontomask.mapping.report import ValueMapping
from ontomask.mapping.suggestions import prepare_suggestions, suggest
from ontomask.mapping.words import find_by_stem, looks_missing
from ontomask.taxonomy import Taxonomy

__all__ = [
    "RULE_WORDS",
    "ColumnReview",
    "ConceptCard",
    "Named",
    "ReviewRow",
    "card",
    "children",
    "known_ontologies",
    "prepare_suggestions",
    "search",
]

Status = Literal["unmapped", "perhaps missing", "ambiguous", "mapped", "decided"]

RULE_WORDS: Mapping[str, str] = {"id": "Code", "label": "Name", "stem": "Form of its name", "alias": "Other name"}
"""By what a value was recognised, in words. Other rules have readable names."""

_CLOSE = 0.8
"""The score from which on a suggestion is most likely a misspelling of the value."""

_ORDER: Sequence[Status] = ("unmapped", "perhaps missing", "ambiguous", "mapped", "decided")
_MOST_NEIGHBOURS = 8
_MOST_CHILDREN = 500


@dataclass(frozen=True)
class Named:
    """A concept by id and label, with the number of its children."""

    concept: str
    label: str
    children: int = 0


@dataclass(frozen=True)
class ConceptCard:
    """A concept with what helps a person to recognise it.

    Attributes
    ----------
    others
        Its other labels.
    gloss
        Its definition, if the source has one.
    parents, children
        Its neighbours; ``more_children`` are not listed.
    """

    concept: str
    label: str
    others: tuple[str, ...]
    gloss: str
    parents: tuple[Named, ...]
    children: tuple[Named, ...]
    more_children: int


@dataclass(frozen=True)
class ReviewRow:
    """A value of a column and what it means.

    Attributes
    ----------
    position
        Its position among all values, the most frequent first.
    rule, note
        The rule that mapped it, or why none did.
    alternatives
        Concepts that it may mean, the best first.
    score
        How similar the best suggestion for an unmapped value is, from 0 to 1.
    suggestion
        The label of the best suggestion for an unmapped value, so that a person sees what accepting it means.
    is_close
        Whether that suggestion is most likely right: the value is a misspelling of it, and of no other as much.
    """

    position: int
    value: str
    count: int
    status: Status
    concept: str | None
    label: str
    rule: str
    note: str
    alternatives: tuple[str, ...]
    score: float
    suggestion: str
    is_close: bool


def known_ontologies(settings: Settings) -> dict[str, str]:
    """The ontologies that a column of a job can have, with a title: those of the job, then those of the package."""
    own = {name: f"{name} (your file)" for name in settings.ontologies}
    paths = {name for column in settings.columns.values() for name in listed(column.taxonomy)} - {*own, *EMBEDDED}
    titles = {"wordnet": "WordNet: English words", "icd9cm": "ICD-9-CM: diagnoses", "icd10cm": "ICD-10-CM: diagnoses"}
    return own | {name: titles.get(name, name) for name in EMBEDDED} | {path: path for path in sorted(paths)}


def _named(taxonomy: Taxonomy, concept: str) -> Named:
    return Named(concept, taxonomy.label(concept), len(taxonomy.children(concept)))


def card(taxonomy: Taxonomy, concept: str) -> ConceptCard:
    """A concept with its neighbours.

    >>> import ontomask as om
    >>> found = card(om.load_wordnet(), "tiger.n.02")
    >>> found.parents[0].label, [child.label for child in found.children][:2]
    ('big cat', ['tiger cub', 'Bengal tiger'])
    """
    label, *others = taxonomy.labels(concept)
    below = taxonomy.children(concept)
    glosses = taxonomy.annotations.glosses or {}
    return ConceptCard(
        concept,
        label,
        tuple(others[:_MOST_NEIGHBOURS]),
        glosses.get(concept, ""),
        tuple(_named(taxonomy, parent) for parent in taxonomy.parents(concept)),
        tuple(_named(taxonomy, child) for child in below[:_MOST_NEIGHBOURS]),
        max(0, len(below) - _MOST_NEIGHBOURS),
    )


def children(taxonomy: Taxonomy, concept: str) -> list[Named]:
    """The children of a concept, by label. A browser of the tree asks for them when a person opens a branch."""
    found = [_named(taxonomy, child) for child in islice(taxonomy.children(concept), _MOST_CHILDREN)]
    return sorted(found, key=lambda child: child.label.casefold())


def search(taxonomy: Taxonomy, text: str, most: int = 12, *, similar: bool = True) -> list[ConceptCard]:
    """Concepts that a text names, and with ``similar`` those with a similar label (see `prepare_suggestions`).

    >>> import ontomask as om
    >>> [found.concept for found in search(om.load_wordnet(), "tiger", 2)]
    ['tiger.n.01', 'tiger.n.02']
    """
    text = text.strip()
    if not text:
        return []
    found = list(named_concepts(taxonomy, text))
    if similar:
        found += find_by_stem(taxonomy, text)
    if similar and len(set(found)) < most:
        found += [near.concept for near in suggest(taxonomy, [text], most)[0]]
    return [card(taxonomy, concept) for concept in islice(dict.fromkeys(found), most)]


@dataclass(frozen=True)
class ColumnReview:
    """The values of a column with their concepts.

    Attributes
    ----------
    found
        What the rules find without the job's own mapping.
    taxonomy
        The ontology.
    explicit
        The job's own mapping: concepts or labels by value.
    """

    found: ColumnMapping
    taxonomy: Taxonomy
    explicit: Mapping[str, str]

    @classmethod
    def of(cls, kind: Kind, counts: Mapping[Any, int], column: str, tokens: Sequence[str]) -> ColumnReview | None:
        """Review a column; ``None`` if its kind has no concepts."""
        taxonomy = getattr(kind, "taxonomy", None)
        if not isinstance(taxonomy, Taxonomy):
            return None
        explicit = dict(getattr(kind, "mapping", None) or {})
        bare: Any = replace(kind, mapping=None)  # type: ignore[type-var]
        found = bare.map(counts, column, tokens)
        return None if found is None else cls(found, taxonomy, explicit)

    def with_mapping(self, explicit: Mapping[str, str]) -> ColumnReview:
        """The same values under another mapping."""
        return replace(self, explicit=dict(explicit))

    @property
    def values(self) -> tuple[ValueMapping, ...]:
        """Every value with its concept, the most frequent first."""
        return tuple(self._mapped(value) for value in self.found.values)

    def _mapped(self, value: ValueMapping) -> ValueMapping:
        target = self.explicit.get(value.value)
        if target is None:
            return value
        try:
            concept = resolve(self.taxonomy, target, domain=self.found.domain).concept
        except MappingError:
            return value
        return replace(value, concept=concept, rule="explicit", label=self.taxonomy.label(concept), chosen_by="")

    @property
    def rows(self) -> list[ReviewRow]:
        """The values, those that need attention first, and of these the most frequent first."""
        rows = [self._row(position, value) for position, value in enumerate(self.values)]
        return sorted(rows, key=lambda row: _ORDER.index(row.status))

    def _row(self, position: int, value: ValueMapping) -> ReviewRow:
        status: Status
        if value.rule == "explicit":
            status = "decided"
        elif value.concept is None:
            status = "unmapped"
        elif looks_missing(value.value):
            status = "perhaps missing"
        else:
            status = "ambiguous" if value.chosen_by == "first sense" else "mapped"
        near = (*([value.concept] if value.concept else []), *value.senses_not_taken)
        near += tuple(suggestion.concept for suggestion in value.suggestions)
        note = value.note if status == "unmapped" else ""
        outside = list(named_concepts(self.taxonomy, value.value)) if value.reason == "outside domain" else []
        if note and outside:
            # A person sees them beside the suggestions, and may choose another domain.
            near += tuple(outside)
            names = dict.fromkeys(self.taxonomy.label(concept) for concept in outside[:3])
            note = f"means {', '.join(names)}, outside the chosen part of the ontology"
        known = tuple(dict.fromkeys(concept for concept in near if concept in self.taxonomy))
        facts = (value.value, value.count, status, value.concept, value.label, value.rule)
        score = value.suggestions[0].score if value.suggestions else 0.0
        open_ = status == "unmapped"
        suggestion = self.taxonomy.label(known[0]) if open_ and value.suggestions else ""
        is_tied = any(other.score == score for other in value.suggestions[1:])
        return ReviewRow(position, *facts, note, known, score, suggestion, open_ and score >= _CLOSE and not is_tied)

    @property
    def coverage(self) -> tuple[int, int]:
        """How many records have a value with a concept, and how many have a value."""
        values = self.values
        return sum(v.count for v in values if v.concept is not None), sum(v.count for v in values)

    @property
    def open_values(self) -> int:
        """How many values have no concept."""
        return sum(v.concept is None for v in self.values)

    def accept(self, statuses: Iterable[Status], *, only_close: bool = False) -> dict[str, str]:
        """A mapping that decides for the best alternative of all values with one of these statuses.

        With ``only_close``, unmapped values whose suggestion is uncertain are left for a person to decide.
        """
        wanted = set(statuses)
        rows = [row for row in self.rows if row.status in wanted]
        rows = [row for row in rows if row.is_close or not (only_close and row.status == "unmapped")]
        inside = self.taxonomy if self.found.domain is None else self.taxonomy.domain(self.found.domain)
        best = {row.value: [concept for concept in row.alternatives if concept in inside] for row in rows}
        return {value: concepts[0] for value, concepts in best.items() if concepts}
