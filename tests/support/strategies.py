"""Random rooted DAGs for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from ontomask import Taxonomy


@st.composite
def dags(draw: st.DrawFn, most: int = 14) -> tuple[Taxonomy, dict[str, list[str]]]:
    """A taxonomy with multiple inheritance and its parents as a dictionary."""
    n = draw(st.integers(1, most))
    parents: dict[str, list[str]] = {"c0": []}
    for i in range(1, n):
        chosen = draw(st.lists(st.integers(0, i - 1), min_size=1, max_size=3, unique=True))
        parents[f"c{i}"] = [f"c{j}" for j in chosen]
    edges = [(c, p) for c in parents for p in parents[c]]
    order = draw(st.permutations(list(parents)))
    return Taxonomy.from_edges(edges, concepts=order), parents
