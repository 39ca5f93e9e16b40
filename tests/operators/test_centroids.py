from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance import MEASURES
from ontomask.operators import centroid
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.line import NumericSpace, OrdinalSpace
from ontomask.operators.space import Sets

from support import literal_distance as distance
from support import literal_operators as lit
from support.small_taxonomies import SYMPTOMS, TREATMENTS
from support.strategies import dag_values

# The tables as printed: counts in the first line, then for each candidate its distances and their weighted sum.
T_TABLE_6 = """
             colic:1 lumbago:3 migraine:2 appendicitis:1 gastritis:1 pain:1
colic        0 3 3 4 4 1 24
lumbago      3 0 2 5 5 2 19
migraine     3 2 0 5 5 2 21
appendicitis 4 5 5 0 2 3 34
gastritis    4 5 5 2 0 3 34
pain         1 2 2 3 3 0 17
ache         2 1 1 4 4 1 16
inflammation 3 4 4 1 1 2 27
symptom      2 3 3 2 2 1 22
"""
T_TABLE_7 = """
             colic:1 lumbago:1 migraine:1 appendicitis:1 gastritis:1
colic        0 3 3 4 4 14
lumbago      3 0 2 5 5 15
migraine     3 2 0 5 5 15
appendicitis 4 5 5 0 2 16
gastritis    4 5 5 2 0 16
pain         1 2 2 3 3 11
ache         2 1 1 4 4 12
inflammation 3 4 4 1 1 13
symptom      2 3 3 2 2 12
"""
T_TABLE_8 = """
             colic:2 lumbago:5 migraine:2 appendicitis:1 gastritis:1
colic        0 3 3 4 4 29
lumbago      3 0 2 5 5 20
migraine     3 2 0 5 5 26
appendicitis 4 5 5 0 2 45
gastritis    4 5 5 2 0 45
pain         1 2 2 3 3 22
ache         2 1 1 4 4 19
inflammation 3 4 4 1 1 36
symptom      2 3 3 2 2 29
"""
T_TABLE_9 = """
                rehabilitation:3 antibiotic:1 aspirin:2 codeine:3 hospitalisation:2
rehabilitation  0 3 4 4 3 29
antibiotic      3 0 3 3 4 32
aspirin         4 3 0 2 5 31
codeine         4 3 2 0 5 29
hospitalisation 3 4 5 5 0 38
therapy         1 2 3 3 2 24
medication      2 1 2 2 3 23
analgesic       3 2 1 1 4 24
medical_care    2 3 4 4 1 31
"""


@pytest.mark.parametrize(
    ("table", "t", "expected", "least"),
    [
        (T_TABLE_6, SYMPTOMS, "ache", 16),
        (T_TABLE_7, SYMPTOMS, "pain", 11),
        (T_TABLE_8, SYMPTOMS, "ache", 19),
        (T_TABLE_9, TREATMENTS, "medication", 23),
    ],
)
def test_tables_6_to_9_of_the_thesis(table, t, expected, least):
    header, *lines = (line.split() for line in table.strip().splitlines())
    counts = {value: int(n) for value, n in (cell.split(":") for cell in header)}
    d = om.distance("path", t, raw=True)
    assert set(t.subsumer_hierarchy(list(counts))) == {line[0] for line in lines}
    assert len(lines) == 9
    sums = {}
    for candidate, *cells, total in lines:
        distances = d.matrix([candidate], list(counts), dtype="float64")[0]
        assert distances.tolist() == [int(cell) for cell in cells], candidate
        assert distances @ list(counts.values()) == int(total), candidate
        sums[candidate] = int(total)
    assert sums[expected] == least == min(sums.values())
    assert centroid(list(counts), d, weights=list(counts.values())) == expected
    assert centroid([value for value, n in counts.items() for _ in range(n)], d) == expected


def test_example_4_of_the_thesis():
    assert SYMPTOMS.lcs("lumbago", "migraine") == "ache"
    values = ["colic", "lumbago", "migraine", "pain", "appendicitis", "gastritis"]
    assert SYMPTOMS.lcs(*values) == "symptom"
    assert len(SYMPTOMS.subsumer_hierarchy(values)) == 9


LITERALS = {"wu_palmer": distance.wu_palmer, "path": distance.path_distance, "log_sc": distance.log_sc}


@given(dag_values(), st.sampled_from(sorted(LITERALS)))
@settings(max_examples=200)
def test_centroid_is_the_literal_one(sample, name):
    t, parents, values = sample

    def sd(a, b):
        return LITERALS[name](parents, a, b)

    assert centroid(values, om.distance(name, t)) == lit.centroid(parents, t.ids, values, sd)


@given(dag_values())
@settings(max_examples=200)
def test_candidates_are_the_subsumer_hierarchy(sample):
    t, _, values = sample
    space = NominalSpace(t, om.distance("path", t))
    points = np.unique(t.codes(values))
    hierarchy = [t.ids[c] for c in space.hierarchy(points)]
    assert hierarchy == list(t.subsumer_hierarchy(values))
    assert hierarchy[0] == t.lcs(*values)


@given(dag_values(), st.data(), st.sampled_from(sorted(MEASURES)))
@settings(max_examples=150)
def test_centroid_stays_inside_the_domain(sample, data, name):
    t, parents, _ = sample
    inside = t.domain(data.draw(st.sampled_from(sorted(parents))))
    values = data.draw(st.lists(st.sampled_from(inside.ids), min_size=1, max_size=8))
    points, counts = np.unique(inside.codes(values), return_counts=True)
    candidates = inside.subsumer_hierarchy(values)
    for d in (om.distance(name, t), om.distance(name, inside)):
        matrix = dict(zip(candidates, d.matrix(list(candidates), values, dtype="float64"), strict=True))
        expected = lit.least(candidates, lambda c, matrix=matrix: np.mean(matrix[c]))[0]
        assert inside.ids[NominalSpace(inside, d).centroid(points, counts)] == expected


def test_numbers_and_ordered_categories():
    counts = np.array([1, 1, 2])
    assert NumericSpace(0, 10).centroid(np.array([0.0, 4.0, 10.0]), counts) == 6.0
    assert NumericSpace(0, 10, centre="median").centroid(np.array([0.0, 4.0, 10.0]), counts) == 4.0
    assert OrdinalSpace(4).centroid(np.array([3, 0, 1]), counts) == 1


def test_ties_go_to_the_first_in_taxonomy_order_whatever_the_order_of_storage():
    for concepts in (["a", "c", "b"], ["b", "a", "c"]):
        t = om.Taxonomy.from_edges([("b", "a"), ("c", "a")], concepts=concepts)
        assert centroid(["b", "c"], om.distance("path", t)) == "a"
        assert centroid(["c", "b"], om.distance("wu_palmer", t, root_depth=0)) == "b"


def test_one_value_all_equal_and_weights_of_0():
    for name in MEASURES:
        d = om.distance(name, SYMPTOMS)
        assert centroid(["colic"], d) == centroid(["colic"] * 4, d) == "colic"
        assert centroid(["colic", "gastritis"], d, weights=[2, 0]) == "colic"


def test_centroid_of_many_wordnet_values():
    wn = om.load_wordnet()
    rng = np.random.default_rng(6)
    values = [wn.ids[c] for c in rng.choice(len(wn), 300, replace=False)]
    candidates = wn.subsumer_hierarchy(values)
    for name in ("wu_palmer", "log_sc"):
        d = om.distance(name, wn)
        sums = d.matrix(list(candidates), values, dtype="float64").sum(axis=1)
        assert centroid(values, d) == candidates[np.argmin(sums)]


# Bad input ------------------------------------------------------------------------------------------------


def test_no_values():
    space, nothing = NominalSpace(SYMPTOMS, om.distance("path", SYMPTOMS)), np.empty(0, dtype=int)
    with pytest.raises(om.DistanceError):
        space.centroid(nothing, nothing)


def test_numbers_are_generalised_to_their_narrowest_range():
    sets = Sets.of(np.array([0, 0]), np.array([0, 1]))
    assert NumericSpace(0, 9).generalise(np.array([1.0, 4.0]), sets).tolist() == [2.5 + 1.5j]


def test_values_and_weights():
    d = om.distance("path", SYMPTOMS)
    with pytest.raises(om.DistanceError):
        centroid([], d)
    with pytest.raises(om.DistanceError):
        centroid("pain", d)
    with pytest.raises(om.UnknownConceptError):
        centroid(["pain", "no such pain"], d)
    for weights in ([1], [0, 0], [-1, 2], [1, float("nan")], [1, float("inf")]):
        with pytest.raises(om.DistanceError) as error:
            centroid(["pain", "ache"], d, weights=weights)
        assert error.value.parameter == "weights"
