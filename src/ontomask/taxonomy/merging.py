"""Several ontologies as one taxonomy, connected by links between their concepts.

Equivalent concepts become one concept, with the parents, children and labels of both. So two concepts of different
ontologies are compared through their most specific equivalent subsumers, and everything above these, in both
ontologies, is shared by both (Batet 2013). Ontologies without an equivalent subsumer meet in a virtual root (Rodríguez
and Egenhofer 2003). Batet 2013 takes the smallest of several distances for two concepts that are both in several
ontologies. Here there is one distance, over all links together: least common subsumers and centroids need one taxonomy,
and a minimum over ontologies would not keep the triangle inequality.

A link is left out, and listed in a note, if it joins two concepts of one ontology (a code that is equivalent to two
others), if it makes a cycle, or if no ontology has its concepts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

from ontomask.base.text import join_some
from ontomask.errors import TaxonomyError
from ontomask.taxonomy.cycles import strong_components
from ontomask.taxonomy.taxonomy import VIRTUAL_ROOT, Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import Finding

__all__ = ["Link", "Relation", "merge_taxonomies"]

Relation = Literal["equivalent", "narrower", "broader"]
_Node = tuple[int, str]
Value = TypeVar("Value")


class Link(NamedTuple):
    """A statement about two concepts of different ontologies, by their ids.

    ``relation`` says what the subject is: ``equivalent`` to the object, ``narrower`` (a kind of it) or ``broader``.
    """

    subject: str
    object: str
    relation: Relation = "equivalent"


def merge_taxonomies(
    taxonomies: Sequence[Taxonomy], links: Iterable[tuple[str, ...]] = (), *, in_order: bool = False
) -> Taxonomy:
    """Merge ontologies into one taxonomy.

    A concept keeps its id, unless an earlier ontology has the same: then the name of its ontology comes before it. An
    equivalent concept has the id in the earliest ontology. Its other ids are aliases.

    Parameters
    ----------
    taxonomies
        Two or more ontologies.
    links
        Links, or tuples of two ids and, optionally, a relation. See `ontomask.read_links` for files.
    in_order
        How values are mapped that several ontologies know: to a concept of the first that does. By default, all their
        concepts are senses of the value.

    Examples
    --------
    >>> one = Taxonomy.from_edges([("flu", "infection"), ("infection", "disease")])
    >>> two = Taxonomy.from_edges([("D-cold", "D-viral"), ("D-viral", "D-any")])
    >>> both = merge_taxonomies([one, two], [("infection", "D-viral")])
    >>> both.parents("D-cold"), sorted(both.parents("infection")), both.lcs("flu", "D-cold")
    (('infection',), ['D-any', 'disease'], 'infection')
    """
    if len(taxonomies) < 2 or not all(isinstance(t, Taxonomy) for t in taxonomies):
        raise TaxonomyError("Give two or more taxonomies to merge.", parameter="taxonomies")
    merger = _Merger(taxonomies)
    given = [_checked(link) for link in links]
    merger.add(given)
    if given and not merger.equivalent and not merger.narrower:
        raise merger.no_link(given)
    return merger.build(in_order=in_order)


def _checked(link: tuple[str, ...]) -> Link:
    if isinstance(link, str) or not isinstance(link, Sequence) or not 2 <= len(link) <= 3:
        raise TaxonomyError("A link must be two ids and, optionally, a relation.", parameter="links")
    made = Link(*link)  # type: ignore[arg-type]
    if made.relation not in ("equivalent", "narrower", "broader"):
        text = f"The relation of a link must be 'equivalent', 'narrower' or 'broader'. Got {made.relation!r} instead."
        raise TaxonomyError(text, parameter="links")
    return made


class _Merger:
    """Collects links between nodes: pairs of the number of an ontology and a concept of it."""

    def __init__(self, taxonomies: Sequence[Taxonomy]) -> None:
        self._taxonomies = taxonomies
        self.equivalent: list[tuple[_Node, _Node]] = []
        self.narrower: list[tuple[_Node, _Node]] = []
        self._unknown = self._repeated = 0
        self._cyclic: list[tuple[_Node, _Node]] = []

    def add(self, links: Iterable[Link]) -> None:
        pairs: set[tuple[_Node, _Node]] = set()
        narrower: set[tuple[_Node, _Node]] = set()
        for subject, object_, relation in links:
            ends = self._nodes(subject, object_)
            if ends is None:
                self._unknown += 1
            elif relation == "equivalent":
                pairs.add((min(ends), max(ends)))
            else:
                narrower.add(ends if relation == "narrower" else ends[::-1])
        # A concept with two equivalents in one ontology would make these two the same. Neither of them is taken.
        uses = Counter((end, other[0]) for pair in pairs for end, other in (pair, pair[::-1]))
        self.equivalent = list(_disjoint((a, b) for a, b in sorted(pairs) if uses[a, b[0]] == 1 and uses[b, a[0]] == 1))
        self._repeated = len(pairs) - len(self.equivalent)
        self.narrower = sorted(narrower)

    def no_link(self, given: Sequence[Link]) -> TaxonomyError:
        """The error for links none of which can be used."""
        if self._repeated:
            code, problem = "not-one-to-one", f"{self._repeated:,} give a concept two equivalents in one ontology"
            hint = "If one concept is a kind of the other, say so: skos:broadMatch or skos:narrowMatch."
        else:
            code, problem = "no-link", "they do not join concepts of two of these ontologies"
            hint = f"Check the ids. Those of the first link are {given[0].subject!r} and {given[0].object!r}."
        text = f"None of the {len(given):,} links can be used: {problem}. {hint}"
        return TaxonomyError(text, parameter="links", code=code)

    def _nodes(self, subject: str, object_: str) -> tuple[_Node, _Node] | None:
        """The concepts of a link, in two different ontologies."""
        ends = [
            [(i, found) for i, t in enumerate(self._taxonomies) if (found := _find(t, text)) is not None]
            for text in (subject, object_)
        ]
        return next(((a, b) for a in ends[0] for b in ends[1] if a[0] != b[0]), None)

    def build(self, *, in_order: bool) -> Taxonomy:
        while True:
            names = self._names()
            nodes = list(dict.fromkeys(names.values()))
            edges = list(dict.fromkeys(self._edges(names)))
            cycles = strong_components(nodes, edges)
            if not cycles:
                break
            self._drop(names, {node: i for i, cycle in enumerate(cycles) for node in cycle})
        labels, ranks = self._labels(names)
        order: dict[str, int] = {}
        for (i, _), name in names.items():
            order.setdefault(name, i)
        taxonomy = Taxonomy.from_edges(
            [(child, parent) for child, parent in edges],
            labels,
            concepts=nodes,
            ranks=ranks,
            annotations=self._annotations(names, order if in_order else None),
        )
        notes = [note for t in self._taxonomies for note in t.notes]
        return replace(taxonomy, notes=(*notes, *taxonomy.notes, *self._notes()))

    def _drop(self, names: Mapping[_Node, str], cycle_of: Mapping[str, int]) -> None:
        """Leave out the links that are part of cycles. The ontologies themselves have none."""

        def is_part(a: _Node, b: _Node) -> bool:
            return cycle_of.get(names[a], -1) == cycle_of.get(names[b], -2)

        for kind in (self.narrower, self.equivalent):
            dropped = [pair for pair in kind if is_part(*pair)]
            if dropped:
                # Is-a links are left out first: without them the equivalences may be fine.
                kind[:] = [pair for pair in kind if pair not in set(dropped)]
                self._cyclic += dropped
                return
        raise AssertionError("a cycle without a link")

    def _names(self) -> dict[_Node, str]:
        """The id of every concept in the merged taxonomy."""
        group_of = _groups(self.equivalent)
        names: dict[_Node, str] = {}
        taken: dict[str, _Node] = {}
        for i, taxonomy in enumerate(self._taxonomies):
            prefix = taxonomy.annotations.name or f"ontology {i + 1}"
            for concept in taxonomy.ids:
                node = (i, concept)
                leader = min(group_of[node]) if node in group_of else node
                if leader != node:
                    names[node] = names[leader]
                    continue
                if concept == VIRTUAL_ROOT:
                    continue  # the roots of this ontology are roots of all
                name = concept
                while name in taken:
                    name = f"{prefix}:{name}"
                taken[name] = node
                names[node] = name
        return names

    def _edges(self, names: Mapping[_Node, str]) -> Iterator[tuple[str, str]]:
        for i, taxonomy in enumerate(self._taxonomies):
            for concept in taxonomy.ids:
                if (i, concept) in names:
                    for parent in taxonomy.parents(concept):
                        if (i, parent) in names:
                            yield names[i, concept], names[i, parent]
        for low, high in self.narrower:
            yield names[low], names[high]

    def _labels(self, names: Mapping[_Node, str]) -> tuple[dict[str, list[str]], dict[str, list[int]]]:
        labels: dict[str, list[str]] = {}
        ranks: dict[str, list[int]] = {}
        for (i, concept), name in names.items():
            texts = self._taxonomies[i].texts
            code = self._taxonomies[i].code(concept)
            row = int(texts.row[code])
            own = texts.store.rank[texts.store.owner_start[row] : texts.store.owner_start[row + 1]].tolist()
            for label, rank in zip(texts.of(code), own, strict=True):
                if label not in labels.setdefault(name, []):
                    labels[name].append(label)
                    ranks.setdefault(name, []).append(rank)
        return labels, ranks

    def _annotations(self, names: Mapping[_Node, str], order: Mapping[str, int] | None) -> Annotations:
        about = [t.annotations for t in self._taxonomies]
        aliases: dict[str, dict[str, tuple[str, ...]]] = {}
        for (_, concept), name in names.items():
            if name != concept:
                _put(aliases.setdefault("equivalent id", {}), concept, name)
        for i, one in enumerate(about):
            for kind, table in one.aliases.items():
                for code, concepts in table.items():
                    for concept in concepts:
                        if (i, concept) in names:
                            _put(aliases.setdefault(kind, {}), code, names[i, concept])

        def renamed(i: int, concept: str) -> str:
            return names.get((i, concept), concept)

        live = set(names.values())
        return Annotations(
            name=" + ".join(one.name or f"ontology {i}" for i, one in enumerate(about, start=1)),
            licence="\n".join(dict.fromkeys(one.licence for one in about if one.licence)),
            aliases=aliases,
            retired={
                concept: Retired(r.reason, tuple(renamed(i, c) for c in r.replacements), renamed(i, r.replaced_by))
                for i, one in reversed(list(enumerate(about)))
                for concept, r in one.retired.items()
                if concept not in live
            },
            code_ids=any(one.code_ids for one in about),
            glosses=_joined([one.glosses for one in about], renamed),
            parts=_joined(
                [
                    None if one.parts is None else {w: tuple(renamed(i, p) for p in ps) for w, ps in one.parts.items()}
                    for i, one in enumerate(about)
                ],
                renamed,
            ),
            counts=_joined([one.counts for one in about], renamed),
            order=order,
        )

    def _notes(self) -> Iterator[Finding]:
        merged = f"{len(self.equivalent):,} pairs of concepts are equivalent, {len(self.narrower):,} links say is-a"
        yield Finding("T115", f"{len(self._taxonomies)} ontologies were merged: {merged}")
        if self._unknown:
            yield Finding("T116", f"{self._unknown:,} links name concepts that these ontologies do not have")
        if self._repeated:
            text = "links were left out, because a concept would have two equivalents in one ontology"
            yield Finding("T117", f"{self._repeated:,} {text}")
        if self._cyclic:
            shown = [f"{a} = {b}" for (_, a), (_, b) in self._cyclic]
            text = f"{len(shown):,} links were left out, because they make cycles: {join_some(shown)}"
            yield Finding("T118", text, values=tuple(shown))


def _groups(pairs: Iterable[tuple[_Node, _Node]]) -> dict[_Node, set[_Node]]:
    """The concepts that are equivalent to each concept, itself included."""
    group_of: dict[_Node, set[_Node]] = {}
    for a, b in pairs:
        joined = group_of.get(a, {a}) | group_of.get(b, {b})
        group_of.update(dict.fromkeys(joined, joined))
    return group_of


def _disjoint(pairs: Iterable[tuple[_Node, _Node]]) -> Iterator[tuple[_Node, _Node]]:
    """The pairs that do not make two concepts of one ontology equivalent, through a third ontology."""
    group_of: dict[_Node, set[_Node]] = {}
    for a, b in pairs:
        joined = group_of.get(a, {a}) | group_of.get(b, {b})
        if len({i for i, _ in joined}) == len(joined):
            group_of.update(dict.fromkeys(joined, joined))
            yield a, b


def _find(taxonomy: Taxonomy, text: str) -> str | None:
    """The concept of an id or an alias that only one concept has."""
    if text == VIRTUAL_ROOT:
        return None
    if text in taxonomy:
        return text
    alias = taxonomy.find_alias(text)
    return alias[1][0] if alias and len(alias[1]) == 1 else None


def _put(table: dict[str, tuple[str, ...]], code: str, concept: str) -> None:
    if concept not in table.get(code, ()):
        table[code] = (*table.get(code, ()), concept)


def _joined(
    tables: Sequence[Mapping[str, Value] | None], renamed: Callable[[int, str], str]
) -> dict[str, Value] | None:
    """The tables of all ontologies by merged ids, the first ontology's where several have one; None if all lack it."""
    if all(table is None for table in tables):
        return None
    found: dict[str, Value] = {}
    for i, table in enumerate(tables):
        for concept, value in (table or {}).items():
            found.setdefault(renamed(i, concept), value)
    return found
