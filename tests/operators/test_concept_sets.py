"""Sets of concepts: their list, the distances between them, their centroid, and what they have in common."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.operators import set_measures, set_space
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.set_list import SetList
from ontomask.operators.set_measures import SET_MEASURES
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.operators.space import Sets

from support import literal_sets
from support.strategies import dags

DISTANCES = ["wu_palmer", "log_sc", "path", "lin"]


@st.composite
def sets_of(draw, taxonomy, most=6, largest=4):
    """Distinct sets of codes, with counts."""
    one = st.frozensets(st.integers(0, len(taxonomy) - 1), min_size=1, max_size=largest)
    found = draw(st.lists(one, min_size=1, max_size=most, unique=True))
    return found, draw(st.lists(st.integers(1, 5), min_size=len(found), max_size=len(found)))


def space_of(taxonomy, distance, measure, sets):
    """A space with these sets, and their points."""
    known = SetList()
    space = ConceptSetSpace(known, NominalSpace(taxonomy, om.distance(distance, taxonomy)), SET_MEASURES[measure])
    return space, np.array([known.add(one) for one in sets], dtype=np.int32)


def literal_distance(taxonomy, distance):
    matrix = om.distance(distance, taxonomy).matrix(taxonomy.ids, dtype="float64")
    return lambda a, b: float(matrix[a, b])


def codes_of(taxonomy, parents):
    return {taxonomy.code(c): [taxonomy.code(p) for p in above] for c, above in parents.items()}


@settings(max_examples=80)
@given(st.data(), st.sampled_from(DISTANCES), st.sampled_from(sorted(SET_MEASURES)), st.booleans())
def test_distances_are_those_of_the_definitions(data, distance, measure, small):
    taxonomy, _ = data.draw(dags())
    sets, _ = data.draw(sets_of(taxonomy))
    space, points = space_of(taxonomy, distance, measure, sets)
    sd, of = literal_distance(taxonomy, distance), literal_sets.MEASURES[measure]
    expected = np.array([[of(a, b, sd) for b in sets] for a in sets])
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(set_space, "_AT_ONCE", 4)
            patch.setattr(set_measures, "_AT_ONCE", 4)
        matrix = space.matrix(points, points)
        np.testing.assert_allclose(matrix, expected, atol=1e-12)
        np.testing.assert_allclose(space.pairs(points, points[::-1]), expected[np.arange(len(sets)), ::-1].diagonal())
        counts = np.arange(1, len(sets) + 1)
        means = space.mean_distances(points, points, counts)
    np.testing.assert_allclose(means, expected @ counts / counts.sum(), atol=1e-12)
    assert (np.diag(matrix) == 0).all()
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    assert matrix.min() >= 0
    assert matrix.max() <= 1
    # These distances separate all concepts, and so all sets.
    if distance != "lin":
        assert (matrix[~np.eye(len(sets), dtype=bool)] > 0).all()


@settings(max_examples=100)
@given(st.data())
def test_matching_is_a_metric_if_the_distance_of_the_concepts_is(data):
    taxonomy, _ = data.draw(dags())
    assert om.distance("log_sc", taxonomy).is_metric
    sets, _ = data.draw(sets_of(taxonomy, most=7, largest=6))
    space, points = space_of(taxonomy, "log_sc", "matching", sets)
    d = space.matrix(points, points)
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-12).all()


def test_average_best_match_is_no_metric():
    t = om.Taxonomy.from_edges([("x", "top"), ("y", "top")])
    x, y = t.codes(["x", "y"]).tolist()
    space, points = space_of(t, "log_sc", "average_best_match", [{x}, {x, y}, {y}])
    apart = om.distance("log_sc", t)("x", "y")
    expected = np.array([[0, 1 / 3, 1], [1 / 3, 0, 1 / 3], [1, 1 / 3, 0]]) * apart
    np.testing.assert_allclose(space.matrix(points, points), expected)


def test_matching_of_unrelated_concepts_is_the_jaccard_distance():
    """With wu_palmer and root_depth=0, concepts that share only the root are at distance 1."""
    t = om.Taxonomy.from_edges([(name, "top") for name in "abcde"])
    known = SetList()
    elements = NominalSpace(t, om.distance("wu_palmer", t, root_depth=0))
    space = ConceptSetSpace(known, elements, SET_MEASURES["matching"])
    sets = [set(t.codes(list(names)).tolist()) for names in ("a", "ab", "abc", "cd", "e", "bcde")]
    points = np.array([known.add(one) for one in sets])
    jaccard = [[len(a ^ b) / len(a | b) for b in sets] for a in sets]
    np.testing.assert_allclose(space.matrix(points, points), jaccard)


@settings(max_examples=80)
@given(st.data(), st.sampled_from(DISTANCES), st.sampled_from(sorted(SET_MEASURES)))
def test_the_centroid_is_that_of_the_search_and_no_worse_than_the_medoid(data, distance, measure):
    taxonomy, parents = data.draw(dags(most=10))
    sets, counts = data.draw(sets_of(taxonomy))
    space, points = space_of(taxonomy, distance, measure, sets)
    found = space.centroid(points, np.array(counts))
    sd, of = literal_distance(taxonomy, distance), literal_sets.MEASURES[measure]
    order, above = range(len(taxonomy)), codes_of(taxonomy, parents)
    assert space.sets[found] == tuple(sorted(literal_sets.centroid(sets, counts, order, above, sd, of)))
    means = space.mean_distances(np.append(points, found), points, np.array(counts))
    assert means[-1] <= means[:-1].min() + 1e-9
    assert space.mean(points, np.array(counts)) == found
    one = Sets.of(np.zeros(len(sets), dtype=np.int64), np.arange(len(sets)), np.array(counts))
    assert space.centroids(points, one).tolist() == [found]


def test_the_centroid_does_not_depend_on_what_was_computed_before():
    t = om.Taxonomy.from_edges([(name, "top") for name in "abcd"])
    a, b, c, d = ({code} for code in t.codes(list("abcd")).tolist())
    first, points = space_of(t, "path", "average_best_match", [a, b, c, d])
    again, others = space_of(t, "path", "average_best_match", [d, c, b, a])
    ones = np.ones(4, dtype=int)
    assert first.sets[first.centroid(points, ones)] == again.sets[again.centroid(others, ones)]


@pytest.mark.parametrize("measure", sorted(SET_MEASURES))
def test_the_centroid_of_many_sets(measure, monkeypatch):
    monkeypatch.setattr(set_space, "_FEW", 8)
    rng = np.random.default_rng(3)
    t = om.Taxonomy.from_edges([(f"c{i}", f"c{(i - 1) // 3}") for i in range(1, 60)])
    sets = {frozenset(rng.choice(60, rng.integers(1, 6), replace=False).tolist()) for _ in range(80)}
    space, points = space_of(t, "wu_palmer", measure, sorted(sets, key=sorted))
    ones = np.ones(len(points), dtype=int)
    found, means = space.centroid(points, ones), space.mean_distances(points, points, ones)
    if measure == "matching":
        quick, _ = space_of(t, "wu_palmer", "average_best_match", sorted(sets, key=sorted))
        central = np.argsort(quick.mean_distances(points, points, ones))[:8]
        assert found == points[central[means[central].argmin()]]
    else:
        assert space.mean_distances(np.array([found]), points, ones)[0] <= means.min() + 1e-9


@settings(max_examples=100)
@given(st.data())
def test_generalised_sets_are_true_and_as_specific_as_can_be(data):
    taxonomy, parents = data.draw(dags())
    sets, counts = data.draw(sets_of(taxonomy))
    space, points = space_of(taxonomy, "path", "average_best_match", sets)
    number = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(sets), max_size=len(sets))))
    number = np.unique(number, return_inverse=True)[1].ravel()
    groups = Sets.of(number, np.arange(len(sets)), np.array(counts))
    above = codes_of(taxonomy, parents)
    depth = taxonomy.graph.depth
    for g, point in enumerate(space.generalise(points, groups).tolist()):
        members = [one for one, n in zip(sets, number.tolist(), strict=True) if n == g]
        found = space.sets[point]
        expected = literal_sets.generalise(members, range(len(taxonomy)), above, lambda c: int(depth[c]))
        assert found == tuple(sorted(expected))
        up = {c: literal_sets.subsumers(above, c) for one in members for c in one}
        assert all(up[c] & set(found) for one in members for c in one)
        assert all(any(f in up[c] for c in one) for f, one in product(found, members))


def test_what_sets_have_in_common():
    edges = [("focal", "seizure"), ("general", "seizure"), ("seizure", "sign"), ("short", "growth"), ("growth", "sign")]
    t = om.Taxonomy.from_edges(edges)
    code = {name: t.code(name) for name in t.ids}

    def common(*sets):
        space, points = space_of(t, "path", "matching", [{code[name] for name in one.split()} for one in sets])
        group = Sets.of(np.zeros(len(sets), dtype=np.int64), np.arange(len(sets)))
        return {t.ids[c] for c in space.sets[int(space.generalise(points, group)[0])]}

    assert common("focal", "general") == {"seizure"}
    assert common("focal short", "general growth") == {"seizure", "growth"}
    # Only one has a sign of growth: that the other has some sign is all that can be said of it.
    assert common("focal short", "focal") == {"focal", "sign"}
    assert common("short", "focal") == {"sign"}
    assert common("focal short") == {"focal", "short"}


def test_a_list_of_sets_survives_pickling_and_grows_alike():
    sets = SetList()
    numbers = [sets.add(one) for one in ([3, 1], [2], [1, 3], range(100))]
    assert numbers == [0, 1, 0, 2]
    copy = pickle.loads(pickle.dumps(sets))
    assert copy.agrees_with(sets)
    assert copy[2] == sets[2] == tuple(range(100))
    assert copy.add([2, 3]) == 3
    # The longer list has what the shorter one has, under the same numbers.
    assert copy.agrees_with(sets)
    assert sets.add([9]) == 3
    assert not copy.agrees_with(sets)
    taken = sets.take(np.array([3, 0, 0]))
    assert (taken.start.tolist(), taken.elements.tolist()) == ([0, 1, 3, 5], [9, 1, 3, 1, 3])
    assert taken.codes.tolist() == [1, 3, 9]
