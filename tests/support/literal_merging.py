"""Concepts of two ontologies compared through equivalent subsumers, by the definition and without a merged graph.

Batet 2013: equivalent subsumers are the same concept, and what subsumes one of them subsumes the other too. A virtual
root subsumes everything where the ontologies have no root in common (Rodríguez and Egenhofer 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from ontomask.taxonomy import Taxonomy

Node = tuple[int, str]


def equivalents(node: Node, pairs: Sequence[tuple[Node, Node]]) -> frozenset[Node]:
    """All concepts that are equivalent to a concept, itself included."""
    found = {node}
    while True:
        more = {b for a, b in pairs if a in found} | {a for a, b in pairs if b in found}
        if more <= found:
            return frozenset(found)
        found |= more


def subsumers(node: Node, taxonomies: Sequence[Taxonomy], pairs: Sequence[tuple[Node, Node]]) -> set[frozenset[Node]]:
    """The subsumers of a concept in all ontologies. Each is the set of the concepts that are equivalent."""
    found: set[frozenset[Node]] = set()
    queue = [node]
    while queue:
        same = equivalents(queue.pop(), pairs)
        if same not in found:
            found.add(same)
            queue += [(i, parent) for i, c in same for parent in taxonomies[i].parents(c)]
    return found


def log_sc(a: Node, b: Node, taxonomies: Sequence[Taxonomy], pairs: Sequence[tuple[Node, Node]]) -> float:
    """Sánchez 2012, over the subsumers in all ontologies."""
    one, two = subsumers(a, taxonomies, pairs), subsumers(b, taxonomies, pairs)
    roots = {equivalents((i, t.root), pairs) for i, t in enumerate(taxonomies)}
    tops = {same for same in roots if not any(taxonomies[i].parents(c) for i, c in same)}
    if len(tops) > 1:
        one, two = one | {frozenset({(-1, "⊤")})}, two | {frozenset({(-1, "⊤")})}
    union, common = len(one | two), len(one & two)
    return log2(1 + (union - common) / union)
