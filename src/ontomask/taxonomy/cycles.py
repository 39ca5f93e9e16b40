"""Cycles of a directed graph: its strongly connected components (Tarjan 1972)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

__all__ = ["strong_components"]

Node = TypeVar("Node", bound=Hashable)


def strong_components(nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]]) -> list[list[Node]]:
    """The sets of nodes that reach each other, without single nodes, unless they have a link to themselves.

    >>> strong_components("abcd", [("a", "b"), ("b", "a"), ("b", "c"), ("d", "d")])
    [['b', 'a'], ['d']]
    """
    targets: dict[Node, list[Node]] = {}
    for start, end in edges:
        targets.setdefault(start, []).append(end)
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    waiting: list[Node] = []
    is_waiting: set[Node] = set()
    found: list[list[Node]] = []
    for root in nodes:
        # Each item is a node and the position of its next target. No recursion, since ontologies may be deep.
        path = [(root, 0)] if root not in number else []
        while path:
            node, at = path.pop()
            if at == 0:
                number[node] = low[node] = len(number)
                waiting.append(node)
                is_waiting.add(node)
            ends = targets.get(node, [])
            while at < len(ends):
                end = ends[at]
                at += 1
                if end not in number:
                    path += [(node, at), (end, 0)]
                    break
                if end in is_waiting:
                    low[node] = min(low[node], number[end])
            else:
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    component: list[Node] = []
                    while not component or component[-1] != node:
                        component.append(waiting.pop())
                        is_waiting.discard(component[-1])
                    if len(component) > 1 or node in ends:
                        found.append(component)
    return found
