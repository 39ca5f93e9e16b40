"""Masking of columns that hold several concepts in a cell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.masking import set_index, temporary
from ontomask.masking.cluster_index import cluster_index
from ontomask.masking.mdav import clusters_around_extremes
from ontomask.masking.refinement import refined_clusters
from ontomask.microdata.tuples import Tuples
from ontomask.operators.set_measures import SET_MEASURES
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.operators.space import marginal

from support import literal_microaggregation as literal
from support.errors import raises
from support.grounds import Ground, parts, parts_of
from support.strategies import dags
from support.tables import records_of

MEASURES = sorted(SET_MEASURES)


class SetGround(Ground):
    """While clusters are formed, sets are represented by their medoid."""

    def centroid(self, records):
        if self.strategy == "mode":
            return super().centroid(records)
        distinct = sorted(set(records))
        counts = np.array([list(records).count(t) for t in distinct])
        found = []
        for space, column in zip(self.tuples.spaces, self.columns, strict=True):
            points, often, _ = marginal(column[distinct], counts)
            if isinstance(space, ConceptSetSpace):
                sums = space.matrix(points, points) @ often / often.sum()
                found.append(points[np.flatnonzero(sums <= sums.min() + literal.TIE)[0]].item())
            else:
                found.append(np.asarray(space.centroid(points, often)).item())
        return tuple(found)


@st.composite
def set_data(draw, least=2, most=20):
    """A table with one or two columns of sets, and perhaps a nominal one or numbers."""
    n = draw(st.integers(least, most))
    frame, kinds = {}, {}
    for name in ("sets", *draw(st.lists(st.sampled_from(("more sets", "nominal", "age")), unique=True, max_size=2))):
        weight = draw(st.sampled_from((1.0, 2.0)))
        taxonomy, parents = draw(dags(most=9))
        one = st.sampled_from(sorted(parents))
        if name == "age":
            frame[name], kinds[name] = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), om.Numeric(weight)
        elif name == "nominal":
            frame[name] = draw(st.lists(one, min_size=n, max_size=n))
            kinds[name] = om.Nominal(taxonomy, "path", weight=weight)
        else:
            cell = st.lists(one, min_size=1, max_size=4).map(";".join)
            frame[name] = draw(st.lists(cell, min_size=n, max_size=n))
            distance, measure = draw(st.sampled_from(("wu_palmer", "log_sc"))), draw(st.sampled_from(MEASURES))
            kinds[name] = om.ConceptSet(taxonomy, distance, weight=weight, measure=measure)
    return om.Microdata(pd.DataFrame(frame), kinds)


@st.composite
def cases(draw):
    data = draw(set_data())
    return data, draw(st.integers(2, len(data)))


def many_sets(measure):
    """More sets than are compared one by one."""
    rng = np.random.default_rng(5)
    t = om.Taxonomy.from_edges([(f"c{i}", f"c{(i - 1) // 3}") for i in range(1, 40)])
    cells = [";".join(f"c{i}" for i in rng.choice(40, rng.integers(1, 5), replace=False)) for _ in range(90)]
    return om.Microdata(pd.DataFrame({"sets": cells}), {"sets": om.ConceptSet(t, measure=measure)})


# Clusters against the literal versions


@given(cases(), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_clusters_around_extremes(case, fixed, static):
    data, k = case
    tuples = Tuples.of(data.table)
    ground, index = SetGround(tuples), cluster_index(tuples)
    if fixed:
        found, expected = clusters_around_extremes(index, k, fixed=True), literal.mdav(ground, ground.records, k)
    else:
        found = clusters_around_extremes(index, k, static=static)
        expected = literal.sa_mdav(ground, ground.records, k, static=static)
    assert parts_of(found) == parts(expected)


@given(cases())
@settings(max_examples=40)
def test_clusters_by_equality(case):
    data, k = case
    tuples = Tuples.of(data.table)
    ground = SetGround(tuples, "mode", equality=True)
    index = cluster_index(tuples, strategy="mode", equality=True)
    expected = literal.mdav(ground, ground.records, k)
    assert parts_of(clusters_around_extremes(index, k, fixed=True)) == parts(expected)


@pytest.mark.parametrize("measure", MEASURES)
def test_clusters_of_many_sets(measure):
    tuples = Tuples.of(many_sets(measure).table)
    ground, index = SetGround(tuples), cluster_index(tuples)
    assert parts_of(clusters_around_extremes(index, 7)) == parts(literal.sa_mdav(ground, ground.records, 7))


def literal_refined(ground, counts, k):
    """Clusters that join their nearest, and then the rounds of the local search, while they are worth it."""
    search = literal.Search(ground, counts, range(len(counts)), k)
    search.join()
    best, squares = list(search.cluster), search.squares()
    for _ in range(10):
        changes = search.reassign() + search.dissolve() + search.split()
        gain = squares - search.squares()
        if gain > 0:
            best, squares = list(search.cluster), search.squares()
        if not changes or gain <= 0.02 * (squares + gain):
            break
    return [[t for t, c in enumerate(best) for _ in range(counts[t]) if c == a] for a in set(best)]


@given(cases())
@settings(max_examples=60)
def test_refined_clusters(case):
    data, k = case
    tuples = Tuples.of(data.table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ontomask.masking.refinement._FEW", 1000)
        found, _ = refined_clusters(cluster_index(tuples), k)
    assert parts_of(found) == parts(literal_refined(SetGround(tuples), tuples.counts.tolist(), k))


@given(set_data())
@settings(max_examples=20)
def test_distances_in_a_file_are_those_in_memory(data):
    tuples = Tuples.of(data.table)
    inside = cluster_index(tuples)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(temporary, "_IN_MEMORY", 0)
        patch.setattr(set_index, "_AT_ONCE", 3)
        assert np.array_equal(cluster_index(tuples).sets.row, inside.sets.row)


# What is released

METHODS = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=3, variant="mdav"),
    om.Microaggregation(k=3, centroid="lcs"),
    om.Recoding(k=3),
    om.Resampling(k=3),
    om.Generalisation(k=3),
    om.Generalisation(k=3, mode="full_domain"),
    om.Suppression(k=3, mode="cells"),
    om.Suppression(k=3),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(st.data())
@settings(max_examples=15)
def test_every_released_combination_is_shared_by_k(method, draw):
    data = draw.draw(set_data(least=3))
    result = method.mask(data, seed=0)
    names = list(data.quasi_identifiers)
    after = records_of(result.frame, names)
    if after:
        assert min(Counter(after).values()) == result.guarantee.k >= 3
    assert records_of(method.mask(data, seed=0).frame, names) == after
    # Elements are sorted, and the table is read back to the same sets.
    for cell in {record[0] for record in after}:
        assert cell.split(";") == sorted(set(cell.split(";")))
    if len(after) == len(data):
        assert om.evaluate(data, result.frame).sse == pytest.approx(om.evaluate(data, result).sse)


@pytest.mark.parametrize(
    "method", [om.Microaggregation(k=3, centroid="lcs"), om.Generalisation(k=3), om.Suppression(k=3, mode="cells")]
)
@given(st.data())
@settings(max_examples=30)
def test_generalised_sets_are_true(method, draw):
    data = draw.draw(set_data(least=3))
    released = method.mask(data, seed=0).data.columns["sets"]
    column = data.quasi_identifiers["sets"]
    above = [set(column.domain.graph.distances_up(code)) for code in range(len(column.domain))]
    for own, new in zip(column.point[column.code].tolist(), released.point[released.code].tolist(), strict=True):
        mine, theirs = column.sets[own], column.sets[new]
        assert all(above[element] & set(theirs) for element in mine)
        assert all(any(concept in above[element] for element in mine) for concept in theirs)


@pytest.mark.parametrize("algorithm", [1, 2, 3])
def test_swapping_keeps_the_sets_and_their_frequencies(algorithm):
    data = many_sets("average_best_match")
    result = om.RankSwapping(k=5, algorithm=algorithm).mask(data, seed=1)
    column = data.quasi_identifiers["sets"]
    assert Counter(result.frame["sets"]) == Counter(data.releases["sets"].cells(column.point[column.code]))


@pytest.mark.parametrize("method", [om.UncorrelatedNoise(alpha=0.3), om.CorrelatedNoise(alpha=0.3)], ids=repr)
def test_noise_needs_single_concepts(method):
    with raises(om.MaskingError, column="sets"):
        method.mask(many_sets("matching"), seed=0)


def test_a_hierarchy_is_refused():
    data = many_sets("matching")
    hierarchy = om.Hierarchy([("c1", "c0"), ("c2", "c0")])
    with raises(om.MaskingError, column="sets"):
        om.Generalisation(k=2, hierarchies={"sets": hierarchy}).mask(data)


def test_a_plan_survives_a_file(tmp_path):
    data, again = (many_sets("average_best_match") for _ in range(2))
    result = om.Microaggregation(k=4).mask(data, seed=1)
    om.save_plan(result.plan, tmp_path / "sets.plan")
    masked = om.load_plan(tmp_path / "sets.plan").apply(again, np.random.default_rng(0))
    assert again.release(masked.cells, masked.codes, masked.suppressed).equals(result.frame)
