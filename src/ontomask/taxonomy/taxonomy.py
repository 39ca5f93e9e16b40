"""The frozen `Taxonomy`: concepts with string ids and labels, and is-a links that form a rooted DAG."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.base.text import join_some
from ontomask.errors import Alternatives, TaxonomyError, UnknownConceptError
from ontomask.taxonomy.annotations import Annotations, Retired
from ontomask.taxonomy.building import encode_links, fail_repeated, is_pair, labels_in_order
from ontomask.taxonomy.graph import DEEPEST, CyclicGraphError, DeepGraphError, Graph, first_of_each
from ontomask.taxonomy.labels import Labels, LabelStore
from ontomask.taxonomy.validate import Finding, check_ids, cycle_message, fail

__all__ = ["VIRTUAL_ROOT", "Annotations", "Retired", "Taxonomy"]

VIRTUAL_ROOT = "⊤"
_NO_ANNOTATIONS = Annotations()


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy:
    """Concepts and their is-a links. Build one with `from_edges` or `ontomask.read_taxonomy`.

    Public methods take string ids. Internally a concept is an integer code, its index in `ids`. Parents come before
    their children there: the root is first, then they go by depth, then by the position of their first parent, then by
    id. This is the *taxonomy order*, which breaks ties. The order of the links and concepts in the source, and of the
    synonyms of a concept, does not matter.

    >>> t = Taxonomy.from_edges(
    ...     [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")], labels={"ache": ["ache", "aching"]}
    ... )
    >>> len(t), t.root, t.ids
    (4, 'symptom', ('symptom', 'pain', 'ache', 'colic'))
    >>> t.lcs("ache", "colic"), t.depth("ache"), t.find("Aching")
    ('pain', 2, ['ache'])
    """

    ids: tuple[str, ...]
    graph: Graph
    texts: Labels
    annotations: Annotations = _NO_ANNOTATIONS
    notes: tuple[Finding, ...] = ()
    whole: Taxonomy | None = None  # the taxonomy that a sub-taxonomy is part of, for messages about unknown concepts

    def __getstate__(self) -> dict[str, object]:
        # A domain is pickled without the ontology that it is part of.
        return {name: getattr(self, name) for name in ("ids", "graph", "texts", "annotations", "notes")}

    @classmethod
    @progress("Building the taxonomy")
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str]],
        labels: Mapping[str, Sequence[str] | str] | None = None,
        *,
        concepts: Sequence[str] | None = None,
        ranks: Mapping[str, Sequence[int]] | None = None,
        annotations: Annotations | None = None,
        path: str | Path | None = None,
        lines: Sequence[int] | None = None,
    ) -> Taxonomy:
        """Build a taxonomy from is-a links.

        Parameters
        ----------
        edges
            Pairs (child, parent).
        labels
            Labels of concepts, preferred first. The label of a concept without any is its id.
        concepts
            All declared ids. A link to any other id is then an error (T103). By default every id in a link, or with
            labels, is a concept.
        ranks
            The rank of each label in the order of senses of that word. By default preferred labels rank before
            synonyms. Senses with the same rank are in taxonomy order.
        annotations
            Name, licence, aliases and so on.
        path, lines
            The file of the links and the line of each link, for error messages.
        """
        pairs = edges if isinstance(edges, list) else list(edges)
        if any(len(pair) != 2 if type(pair) is tuple else not is_pair(pair) for pair in pairs):
            fail("T106", "Every link must be a pair. Give pairs (child, parent).", path=path)
        named = chain((end for pair in pairs for end in (pair[1], pair[0])), labels or ())
        ids = list(named if concepts is None else concepts)
        check_ids(ids, path=path)
        if concepts is None:
            ids = list(dict.fromkeys(ids))
        code = dict(zip(ids, range(len(ids)), strict=True))
        if len(code) < len(ids):
            fail_repeated(ids, path)
        if not ids:
            fail("T105", "A taxonomy needs at least one concept. Give one.", path=path)
        child, parent = encode_links(pairs, code, path, lines)
        # Free memory for the labels of a large source.
        del pairs, code
        return cls._from_codes(ids, child, parent, labels, ranks, annotations, path=path, lines=lines)

    @classmethod
    @progress("Building the taxonomy")
    def from_codes(
        cls,
        ids: Sequence[str],
        child: IntArray,
        parent: IntArray,
        labels: Mapping[str, Sequence[str] | str] | None = None,
        *,
        annotations: Annotations | None = None,
        path: str | Path | None = None,
        lines: Sequence[int] | NDArray[np.integer] | None = None,
    ) -> Taxonomy:
        """Build a taxonomy as `from_edges` does, from links between positions in ``ids``. For large sources."""
        check_ids(ids, path=path)
        if len(set(ids)) < len(ids):
            fail_repeated(ids, path)
        return cls._from_codes(list(ids), child, parent, labels, None, annotations, path=path, lines=lines)

    @classmethod
    def _from_codes(
        cls,
        ids: list[str],
        child: IntArray,
        parent: IntArray,
        labels: Mapping[str, Sequence[str] | str] | None,
        ranks: Mapping[str, Sequence[int]] | None,
        annotations: Annotations | None,
        *,
        path: str | Path | None,
        lines: Sequence[int] | NDArray[np.integer] | None,
    ) -> Taxonomy:
        """Build the taxonomy. The ids are valid and unique."""
        notes: list[Finding] = []
        first_use = first_of_each(child.astype(np.int64) * len(ids) + parent)
        if len(first_use) < len(child):
            notes.append(Finding("T107", f"{len(child) - len(first_use):,} links were repeated. Each counts once"))
            child, parent = child[first_use], parent[first_use]
            lines = None if lines is None else np.asarray(lines)[first_use]

        roots = np.flatnonzero(np.bincount(child, minlength=len(ids)) == 0).astype(np.int32)
        if len(roots) > 1:
            if VIRTUAL_ROOT in ids:
                fail("T104", f"The id {VIRTUAL_ROOT!r} is reserved for a virtual root. Rename the concept.", path=path)
            tops = tuple(ids[r] for r in roots)
            message = f"{len(tops):,} roots ({join_some(tops)}) were joined under a virtual root {VIRTUAL_ROOT}"
            notes.append(Finding("T102", message, values=tops))
            child = np.concatenate([child, roots])
            parent = np.concatenate([parent, np.full(len(roots), len(ids), dtype=np.int32)])
            ids.append(VIRTUAL_ROOT)
        try:
            graph, order = Graph.build(ids, child, parent)
        except DeepGraphError:
            fail(
                "T114",
                f"A chain of is-a links is longer than {DEEPEST:,}, which no real ontology has. Check that the links "
                f"lead from child to parent, and that they are not the rows of a list.",
                path=path,
            )
        except CyclicGraphError as problem:
            low, high = problem.cycles[0][:2]
            at = int(np.flatnonzero((child == low) & (parent == high))[0])
            line = int(lines[at]) if lines is not None and len(lines) else None
            message = cycle_message([[ids[c] for c in cycle] for cycle in problem.cycles])
            fail("T101", message, path=path, line=line, values=[ids[c] for c in problem.cycles[0]])
        ordered = tuple(map(ids.__getitem__, order.tolist()))
        del ids, child, parent
        store = LabelStore.from_blocks(
            labels_in_order(ordered, labels or {}, path, merge=ranks is None),
            None if ranks is None else (ranks.get(c, (0,)) for c in ordered),
        )
        texts = Labels(store, np.arange(len(ordered), dtype=np.int32))
        return cls(ordered, graph, texts, annotations or Annotations(), tuple(notes))

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, concept: object) -> bool:
        return concept in self._code

    def __repr__(self) -> str:
        name = f" {self.annotations.name!r}" if self.annotations.name else ""
        return f"<Taxonomy{name}: {len(self):,} concepts, {len(self.graph.parent):,} links, root {self.root!r}>"

    @cached_property
    def _code(self) -> dict[str, int]:
        return {c: i for i, c in enumerate(self.ids)}

    def code(self, concept: str) -> int:
        """The integer code of a concept: its index in `ids`."""
        try:
            return self._code[concept]
        except (KeyError, TypeError):
            raise self._unknown(concept) from None

    def codes(self, concepts: Iterable[str]) -> IntArray:
        """The integer codes of several concepts."""
        known = self._code
        wanted = list(concepts)
        try:
            return np.fromiter((known[c] for c in wanted), dtype=np.int32, count=len(wanted))
        except (KeyError, TypeError):
            missing = dict.fromkeys(c for c in wanted if not isinstance(c, str) or c not in known)
            if len(missing) == 1:
                raise self._unknown(next(iter(missing))) from None
            texts = [str(concept) for concept in missing]
            raise UnknownConceptError(
                f"{len(texts):,} concepts are not in {self!r}: {join_some(texts)}. Give ids of its concepts.",
                values=texts,
            ) from None

    def _unknown(self, concept: object) -> UnknownConceptError:
        from rapidfuzz import process

        text = str(concept)
        if self.whole is not None and text in self.whole:
            message = f"{text!r} is not in the domain {self.root!r}. Give a concept below it, or use a wider domain."
            return UnknownConceptError(message, values=[text])
        near = [self.ids[c] for c in self.texts.find(text)] or [
            match for match, _, _ in process.extract(text, self.ids, limit=3, score_cutoff=60)
        ]
        hint = f"Did you mean {join_some(near[:3])}?" if near else "Give an id. find(text) looks up a label."
        return UnknownConceptError(
            f"{text!r} is not a concept of {self!r}. ", Alternatives(near[:3], hint), values=[text]
        )

    @property
    def root(self) -> str:
        """The concept that subsumes all others."""
        return self.ids[0]

    def labels(self, concept: str) -> tuple[str, ...]:
        """The labels of a concept, preferred first."""
        return self.texts.of(self.code(concept))

    def label(self, concept: str) -> str:
        """The preferred label of a concept."""
        return self.texts.first(self.code(concept))

    def find(self, text: str) -> list[str]:
        """Concepts with the label ``text``, first sense first. Case and punctuation do not matter."""
        return [self.ids[c] for c in self.texts.find(text)]

    def find_alias(self, text: str) -> tuple[str, list[str]] | None:
        """The kind of an alias and its concepts. ``None`` if ``text`` is not an alias."""
        for kind, table in self.annotations.aliases.items():
            here = [c for c in table.get(text, ()) if c in self._code]
            if here:
                return kind, sorted(here, key=self._code.__getitem__)
        return None

    def ambiguous_labels(self) -> list[str]:
        """Labels that several concepts share, in normal form, sorted."""
        owners: dict[str, int] = {}
        named = zip(self.texts.normalised(), self.texts.entries()[1].tolist(), strict=True)
        return sorted({name for name, code in named if owners.setdefault(name, code) != code})

    def parents(self, concept: str) -> tuple[str, ...]:
        """Direct parents, in taxonomy order."""
        return self._names(self.graph.parents(self.code(concept)))

    def children(self, concept: str) -> tuple[str, ...]:
        """Direct children, in taxonomy order."""
        return self._names(self.graph.children(self.code(concept)))

    def subsumers(self, concept: str) -> frozenset[str]:
        """T(c): all ancestors, including the concept itself and the root."""
        return frozenset(self._names(sorted(self.graph.distances_up(self.code(concept)))))

    def descendants(self, concept: str) -> tuple[str, ...]:
        """The concept and everything below it, in taxonomy order."""
        return self._names(self.graph.descendants(self.code(concept)))

    def depth(self, concept: str) -> int:
        """Number of links on the longest path from the root. The root has 0."""
        return int(self.graph.depth[self.code(concept)])

    def path(self, concept: str, subsumer: str) -> int:
        """Number of links on the shortest is-a path from a concept up to one of its subsumers."""
        links = self.graph.distances_up(self.code(concept)).get(self.code(subsumer))
        if links is None:
            raise TaxonomyError(
                f"{subsumer!r} does not subsume {concept!r}. Give one of its subsumers.", values=[subsumer, concept]
            )
        return links

    def lcs(self, *concepts: str) -> str:
        """Least common subsumer: the deepest one, ties by the shortest joint path, then taxonomy order.

        Rodriguez-Garcia 2017, def. 1; Rodriguez-Garcia 2019, def. 1; Martínez 2012, def. 3.
        """
        return self.ids[self.graph.lcs(self._at_least_one(concepts, "lcs()"))]

    def subsumer_hierarchy(self, concepts: Collection[str]) -> tuple[str, ...]:
        """H(V): all concepts on the paths from the values up to their LCS (Martínez 2012, def. 5)."""
        codes = self._at_least_one(concepts, "A subsumer hierarchy")
        return self._names(self.graph.between(codes, self.graph.lcs(codes)))

    def domain(self, concept: str) -> Taxonomy:
        """The taxonomy of a concept, as the root, and everything below it.

        Depths are counted inside the domain. The labels are shared with this taxonomy, not copied (Rodriguez-Garcia
        2017, def. 2; Rodriguez-Garcia 2019, def. 2).
        """
        code = self.code(concept)
        return self if code == 0 else self._restrict(self.graph.descendants(code))

    def domain_of(self, concepts: Collection[str]) -> Taxonomy:
        """The domain whose root is the LCS of the given values."""
        return self.domain(self.lcs(*concepts))

    def subtaxonomy(self, concepts: Collection[str]) -> Taxonomy:
        """The taxonomy of the given concepts and their subsumers: the part of a large ontology that a column uses."""
        return self._restrict(self.graph.ancestors(self._at_least_one(concepts, "A sub-taxonomy")))

    def with_child(self, concept: str) -> Taxonomy:
        """The taxonomy with one more child of the root, whose only label is its id.

        >>> Taxonomy.from_edges([("ache", "pain")]).with_child("missing").children("pain")
        ('ache', 'missing')
        """
        if concept in self:
            raise TaxonomyError(f"The concept {concept!r} exists already. Choose another id.", values=[concept])
        graph, code = self.graph.with_child_of_root()
        ids = (*self.ids[:code], concept, *self.ids[code:])
        return replace(self, ids=ids, graph=graph, texts=self.texts.with_concept(code, concept))

    def _at_least_one(self, concepts: Collection[str], what: str) -> list[int]:
        """The codes of the concepts. ``what`` needs them, for the error if there are none."""
        codes: list[int] = self.codes(concepts).tolist()
        if not codes:
            raise TaxonomyError(f"{what} needs concepts. Give at least one.", parameter="concepts")
        return codes

    def _restrict(self, keep: IntArray) -> Taxonomy:
        graph, order = self.graph.restrict(keep, self.ids)
        return Taxonomy(self._names(order), graph, self.texts.take(order), self.annotations, whole=self.whole or self)

    def _names(self, codes: Iterable[int]) -> tuple[str, ...]:
        ids = self.ids
        return tuple(ids[c] for c in codes)
