"""Candidates for a text: by the rules of the mapper first, and only if they find nothing by similarity."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from ontomask.mapping.mapper import named_concepts
from ontomask.mapping.suggestions import suggest
from ontomask.mapping.words import find_by_stem
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.labels import normalise

__all__ = ["Candidate", "Candidates"]

_BY_STEM = 97.0


class Candidate(NamedTuple):
    """A concept with a score from 0 to 100, and whether there is no doubt about it."""

    concept: str
    score: float
    match: bool


class Candidates:
    """Finds candidates in a taxonomy. It can be used by several threads."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self._domain = lru_cache(maxsize=16)(taxonomy.domain)
        self.is_below = lru_cache(maxsize=65536)(self._is_below)

    def _is_below(self, concept: str, above: str) -> bool:
        return above in self.taxonomy.subsumers(concept)

    def find(self, texts: Sequence[str], types: Collection[str], most: int) -> list[list[Candidate]]:
        """The candidates of each text, best first. With types, only concepts below one of them."""
        known = [concept for concept in types if concept in self.taxonomy]
        if types and not known:
            return [[] for _ in texts]
        # A type is a concept, and its domain is searched alone. Several types are filtered.
        within = self._domain(known[0]) if len(known) == 1 else self.taxonomy
        found = [self._by_rules(within, text) for text in texts]
        unknown = [i for i, candidates in enumerate(found) if not candidates]
        searched = suggest(within, [texts[i] for i in unknown], most if len(known) < 2 else 5 * most)
        for i, near in zip(unknown, searched, strict=True):
            found[i] = [Candidate(s.concept, round(100 * s.score, 1), False) for s in near]
        if len(known) > 1:
            found = [[c for c in one if any(self.is_below(c.concept, k) for k in known)] for one in found]
        return [candidates[:most] for candidates in found]

    @staticmethod
    def _by_rules(within: Taxonomy, text: str) -> list[Candidate]:
        text = text.strip()
        if not text:
            return []
        named = [concept for concept in named_concepts(within, text) if concept in within]
        if named:
            return [Candidate(concept, 100.0, len(named) == 1) for concept in named]
        return [Candidate(concept, _BY_STEM, False) for concept in find_by_stem(within, text)]

    @cached_property
    def _sorted(self) -> tuple[list[str], list[int]]:
        """All labels in normal form, sorted, with their entries."""
        names = list(self.taxonomy.texts.store.each_normalised())
        order = sorted(range(len(names)), key=names.__getitem__)
        return [names[i] for i in order], order

    def complete(self, prefix: str, most: int, *, inner: bool = False) -> list[str]:
        """Concepts with a label that begins with a prefix, the shortest label first; else similar ones.

        ``inner`` leaves out concepts without children.
        """
        wanted = normalise(prefix)
        if not wanted:
            return []
        taxonomy = self.taxonomy
        names, entries = self._sorted
        begin = bisect_left(names, wanted)
        end = bisect_left(names, wanted + "\U0010ffff")
        # Enough of the shortest: a single letter begins thousands of labels.
        near = sorted(range(begin, end), key=lambda i: (len(names[i]), names[i]))[: 20 * most]
        codes = (taxonomy.texts.code_of_entry(entries[i]) for i in near)
        named = [concept for concept in named_concepts(taxonomy, prefix.strip()) if concept in taxonomy]
        found = dict.fromkeys([*named, *(taxonomy.ids[code] for code in codes if code >= 0)])
        if not found:
            found = dict.fromkeys(s.concept for s in suggest(taxonomy, [prefix], most)[0])
        return [c for c in found if not inner or len(taxonomy.graph.children(taxonomy.code(c)))][:most]
