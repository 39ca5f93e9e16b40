"""Random rooted DAGs for Hypothesis, and values and records over them."""

from __future__ import annotations

from hypothesis import strategies as st

from ontomask import Taxonomy

Dag = tuple[Taxonomy, dict[str, list[str]]]


@st.composite
def dags(draw: st.DrawFn, most: int = 14, most_parents: int = 3) -> Dag:
    """A taxonomy with multiple inheritance (a tree with ``most_parents=1``) and its parents as a dictionary."""
    n = draw(st.integers(1, most))
    parents: dict[str, list[str]] = {"c0": []}
    for i in range(1, n):
        chosen = draw(st.lists(st.integers(0, i - 1), min_size=1, max_size=most_parents, unique=True))
        parents[f"c{i}"] = [f"c{j}" for j in chosen]
    edges = [(c, p) for c in parents for p in parents[c]]
    order = draw(st.permutations(list(parents)))
    return Taxonomy.from_edges(edges, concepts=order), parents


@st.composite
def dag_values(draw: st.DrawFn, most: int = 14) -> tuple[Taxonomy, dict[str, list[str]], list[str]]:
    """A taxonomy, its parents, and up to twelve of its concepts, some of them equal."""
    taxonomy, parents = draw(dags(most=most))
    return taxonomy, parents, draw(st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=12))


@st.composite
def dag_records(draw: st.DrawFn) -> tuple[Dag, Dag, list[tuple[int, int]]]:
    """Two taxonomies with their parents, and records of one concept each, by index."""
    first, second = draw(dags(most=9)), draw(dags(most=9))
    pairs = st.tuples(st.integers(0, len(first[0]) - 1), st.integers(0, len(second[0]) - 1))
    return first, second, draw(st.lists(pairs, min_size=1, max_size=15))
