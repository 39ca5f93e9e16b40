from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance import MEASURES
from ontomask.operators import centroid
from ontomask.operators.centroid import STRATEGIES, centroid_code, confusion, lcs_code, record_centroid
from ontomask.operators.space import NominalSpace, NumericSpace, OrdinalSpace, record_distances

from support import literal_distance as distance
from support import literal_operators as lit
from support.strategies import dag_records, dag_values

# T Fig. 4 and 7.
CONDITIONS = om.Taxonomy.from_edges(
    [
        ("pain", "symptom"),
        ("inflammation", "symptom"),
        ("ache", "pain"),
        ("colic", "pain"),
        ("lumbago", "ache"),
        ("migraine", "ache"),
        ("appendicitis", "inflammation"),
        ("gastritis", "inflammation"),
    ]
)
TREATMENTS = om.Taxonomy.from_edges(
    [
        ("therapy", "medical_care"),
        ("hospitalisation", "medical_care"),
        ("rehabilitation", "therapy"),
        ("medication", "therapy"),
        ("antibiotic", "medication"),
        ("analgesic", "medication"),
        ("aspirin", "analgesic"),
        ("codeine", "analgesic"),
    ]
)

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
        (T_TABLE_6, CONDITIONS, "ache", 16),
        (T_TABLE_7, CONDITIONS, "pain", 11),
        (T_TABLE_8, CONDITIONS, "ache", 19),
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
    assert CONDITIONS.lcs("lumbago", "migraine") == "ache"
    values = ["colic", "lumbago", "migraine", "pain", "appendicitis", "gastritis"]
    assert CONDITIONS.lcs(*values) == "symptom"
    assert len(CONDITIONS.subsumer_hierarchy(values)) == 9


RECORDS = {
    ("colic", "antibiotic"): 1,
    ("lumbago", "rehabilitation"): 3,
    ("migraine", "aspirin"): 2,
    ("appendicitis", "hospitalisation"): 1,
    ("gastritis", "codeine"): 1,
    ("lumbago", "codeine"): 2,
    ("colic", "hospitalisation"): 1,
}


def example_6(weights=(1.0, 1.0)):
    spaces = [
        NominalSpace(t, om.distance("path", t, raw=True), weight)
        for t, weight in zip((CONDITIONS, TREATMENTS), weights, strict=True)
    ]
    columns = [t.codes(column) for t, column in zip((CONDITIONS, TREATMENTS), zip(*RECORDS, strict=True), strict=True)]
    return spaces, columns, np.array(list(RECORDS.values()))


@pytest.mark.parametrize(
    ("strategy", "expected", "total"),
    [
        ("semantic", ("ache", "medication"), 21),
        ("lcs", ("symptom", "medical_care"), 30),
        ("mode", ("lumbago", "rehabilitation"), 24.5),
        # Halves of Tables 8 and 9: (20 + 29)/2 for both of lumbago's records, the others have more.
        ("medoid", ("lumbago", "rehabilitation"), 24.5),
    ],
)
def test_example_6_of_the_thesis(strategy, expected, total):
    spaces, columns, counts = example_6()
    found = record_centroid(spaces, columns, counts, strategy)
    assert (CONDITIONS.ids[found[0]], TREATMENTS.ids[found[1]]) == expected
    distances = record_distances(spaces, columns, [np.array([point]) for point in found])[:, 0]
    assert distances @ counts == total


def test_weights_of_attributes_decide_record_wise_strategies():
    # By treatment alone rehabilitation and codeine have the least sum, 29; the first tuple with either is found.
    spaces, columns, counts = example_6(weights=(0.0, 1.0))
    assert record_centroid(spaces, columns, counts, "medoid") == (columns[0][1], columns[1][1])
    # By condition alone lumbago has, 20.
    spaces, columns, counts = example_6(weights=(1.0, 0.0))
    assert CONDITIONS.ids[record_centroid(spaces, columns, counts, "medoid")[0]] == "lumbago"


def test_confusion_by_hand():
    values = ["lumbago", "colic", "pain", "gastritis"]
    links = confusion(CONDITIONS.graph, CONDITIONS.codes(values))
    # Replacing the row by the column: up is free, each link down counts.
    assert links.tolist() == [
        [0, 1, 0, 2],
        [2, 0, 0, 2],
        [2, 1, 0, 2],
        [3, 2, 1, 0],
    ]
    space = NominalSpace(CONDITIONS, om.distance("path", CONDITIONS))
    for counts, expected in (([3, 1, 1, 2], "pain"), ([1, 1, 1, 4], "pain"), ([1, 1, 1, 9], "gastritis")):
        # Column sums: pain has only the gastritis records, one link each; gastritis two for each of the others.
        found = record_centroid([space], [CONDITIONS.codes(values)], np.array(counts), "consensus")
        assert CONDITIONS.ids[found[0]] == expected


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
    from ontomask.operators.centroid import _hierarchy

    assert [t.ids[c] for c in _hierarchy(space, points)] == list(t.subsumer_hierarchy(values))
    assert t.ids[lcs_code(space, points)] == t.lcs(*values)


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
        assert inside.ids[centroid_code(NominalSpace(inside, d), points, counts)] == expected


@given(dag_values())
@settings(max_examples=150)
def test_confusion_is_the_literal_one(sample):
    t, parents, values = sample
    values = sorted(set(values))
    expected = [[lit.confusion(parents, a, b) for b in values] for a in values]
    assert confusion(t.graph, t.codes(values)).tolist() == expected


@given(dag_records())
@settings(max_examples=100)
def test_record_wise_strategies_are_the_literal_ones(sample):
    (t, p), (u, q), rows = sample
    spaces = [NominalSpace(t, om.distance("log_sc", t)), NominalSpace(u, om.distance("log_sc", u))]
    tuples, counts = np.unique(np.array(rows), axis=0, return_counts=True)
    columns = list(tuples.T)
    sds = [
        lambda a, b: distance.log_sc(p, t.ids[a], t.ids[b]),
        lambda a, b: distance.log_sc(q, u.ids[a], u.ids[b]),
    ]
    confusions = [
        lambda a, b: lit.confusion(p, t.ids[a], t.ids[b]),
        lambda a, b: lit.confusion(q, u.ids[a], u.ids[b]),
    ]
    assert record_centroid(spaces, columns, counts, "mode") == lit.mode(rows)
    assert record_centroid(spaces, columns, counts, "medoid") == lit.medoid(rows, sds)
    assert record_centroid(spaces, columns, counts, "consensus") == lit.consensus(rows, confusions)
    one = record_centroid(spaces, columns, counts, "random", rng=np.random.default_rng(1))
    assert one in rows
    assert one == record_centroid(spaces, columns, counts, "random", rng=np.random.default_rng(1))


def test_random_follows_the_counts():
    space = NominalSpace(CONDITIONS, om.distance("path", CONDITIONS))
    rng = np.random.default_rng(3)
    drawn = [record_centroid([space], [np.array([1, 2])], np.array([1, 9]), "random", rng=rng)[0] for _ in range(500)]
    assert 420 < drawn.count(2) < 480


def test_numbers_and_ordered_categories():
    spaces = [NumericSpace(0, 10), NumericSpace(0, 10, centre="median"), OrdinalSpace(4)]
    columns = [np.array([0.0, 4.0, 10.0]), np.array([0.0, 4.0, 10.0]), np.array([3, 0, 1])]
    counts = np.array([1, 1, 2])
    assert record_centroid(spaces, columns, counts) == (6.0, 4.0, 1)
    # Sums of distances in tenths and thirds: first 4+10·2, second 4+6·2, third 10+6.
    assert record_centroid(spaces[:1], columns[:1], counts, "medoid") == (4.0,)
    assert record_centroid(spaces, columns, counts, "mode") == (10.0, 10.0, 1)


def test_ties_go_to_the_first_in_taxonomy_order():
    t = om.Taxonomy.from_edges([("b", "a"), ("c", "a")], concepts=["a", "c", "b"])
    assert centroid(["b", "c"], om.distance("path", t)) == "a"
    assert centroid(["b", "c"], om.distance("wu_palmer", t, root_depth=0)) == "c"


def test_one_value_all_equal_and_weights_of_0():
    for name in MEASURES:
        d = om.distance(name, CONDITIONS)
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


def test_strategies_that_do_not_fit():
    mixed = [NominalSpace(CONDITIONS, om.distance("path", CONDITIONS)), NumericSpace(0, 9)]
    columns, counts = [np.array([1, 2]), np.array([3, 4])], np.array([1, 1])
    for strategy in ("lcs", "consensus"):
        with pytest.raises(om.DistanceError, match=f"'{strategy}' needs is-a links"):
            record_centroid(mixed, columns, counts, strategy)
    with pytest.raises(om.DistanceError, match="needs a generator"):
        record_centroid(mixed, columns, counts, "random")
    with pytest.raises(om.DistanceError, match=f"Choose one of: {', '.join(STRATEGIES)}"):
        record_centroid(mixed, columns, counts, "median")


def test_records_must_fit_together():
    space = NominalSpace(CONDITIONS, om.distance("path", CONDITIONS))
    one = np.array([1])
    with pytest.raises(om.DistanceError, match="1 columns and 2 attributes"):
        record_centroid([space, space], [one], one)
    with pytest.raises(om.DistanceError, match=r"at least one\. Got 0 columns and 0"):
        record_centroid([], [], one)
    with pytest.raises(om.DistanceError, match=r"one length\. Got 1, 2, 1"):
        record_centroid([space, space], [one, np.array([1, 2])], one)
    nothing = np.empty(0, dtype=int)
    with pytest.raises(om.DistanceError, match="of no records"):
        record_centroid([space], [nothing], nothing)
    with pytest.raises(om.DistanceError, match="of no values"):
        space.centroid(nothing, nothing)


def test_values_and_weights():
    d = om.distance("path", CONDITIONS)
    with pytest.raises(om.DistanceError, match="of no values"):
        centroid([], d)
    with pytest.raises(om.DistanceError, match=r"Give a list: \['pain'\]"):
        centroid("pain", d)
    with pytest.raises(om.UnknownConceptError):
        centroid(["pain", "no such pain"], d)
    with pytest.raises(om.DistanceError, match="Got 1 for 2 values"):
        centroid(["pain", "ache"], d, weights=[1])
    for weights in ([0, 0], [-1, 2], [1, float("nan")], [1, float("inf")]):
        with pytest.raises(om.DistanceError, match="numbers ≥ 0 and not all 0"):
            centroid(["pain", "ache"], d, weights=weights)
