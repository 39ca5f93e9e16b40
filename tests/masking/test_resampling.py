from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.distance.ties import farthest, levels_of
from ontomask.errors import MaskingError
from ontomask.examples import adult_data
from ontomask.masking.resampling import SETTINGS, HeerResampling, Resampling
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import record_distances

from support import literal_resampling as lit
from support.errors import raises
from support.records import record_centroid, sse
from support.spaces import MatrixSpace
from support.tables import microdata, records_of, tuple_records

OPTIONS = st.fixed_dictionaries({"reference": st.sampled_from(["table", "sample"])})


def settings_for(data):
    """Settings that suit the data: least common subsumers need concepts."""
    nominal = all(name.startswith("nominal") for name in data.quasi_identifiers)
    return st.sampled_from([number for number in SETTINGS if nominal or number != 3])


def literal_operators(method, tuples):
    """The method's comparison and centroid, on records."""

    def distance(r, s):
        parts = [
            (space.matrix(np.array([x]), np.array([y]))[0, 0] if method.comparison == "semantic" else x != y) * share
            for space, share, x, y in zip(tuples.spaces, tuples.shares, r, s, strict=True)
        ]
        return float(sum(parts))

    def centroid(records):
        often = Counter(records)
        rows = sorted(often)
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        return record_centroid(tuples.spaces, columns, np.array([often[r] for r in rows]), method.centroid)

    return distance, centroid


def as_records(tuple_points, tuples):
    return [tuple_points[i] for i in tuples]


def released(groups):
    """How many records of each tuple became which points."""
    columns = zip(*(points.tolist() for points in groups.points), strict=True)
    outcomes = [tuple(round(float(x), 9) for x in column) for column in columns]
    out = Counter()
    for i in range(len(groups.start) - 1):
        for at in range(groups.start[i], groups.start[i + 1]):
            out[i, outcomes[groups.group[at]]] += int(groups.records[at])
    return out


def expected_of(pairs, tuple_points):
    number = {record: i for i, record in enumerate(tuple_points)}
    return Counter((number[r], tuple(round(float(x), 9) for x in centre)) for r, centre in pairs)


@settings(max_examples=80)
@given(st.data(), OPTIONS)
def test_literal_sk(draw, options):
    data = draw.draw(microdata(least=2, most=24))
    k = draw.draw(st.integers(2, len(data)))
    method = Resampling(k=k, **SETTINGS[draw.draw(settings_for(data))], **options)
    tuples = Tuples.of(data.table)
    tuple_points = tuple_records(tuples)
    seed = draw.draw(st.integers(0, 9))
    # What is drawn first is the order in which records are shared out.
    drawn = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(tuples)), tuples.counts)).tolist()
    size = len(drawn) // k
    samples = [as_records(tuple_points, drawn[i * size : (i + 1) * size]) for i in range(k)]
    remaining = as_records(tuple_points, drawn[k * size :])
    joined = []
    with pytest.MonkeyPatch.context() as patch:
        closest = Resampling._closest
        patch.setattr(Resampling, "_closest", lambda *given: joined.extend(closest(*given)) or np.array(joined))
        groups = method._group(tuples, np.random.default_rng(seed))

    def choose(_, tied):
        chosen = joined.pop(0)
        assert chosen in tied
        return chosen

    pairs = lit.sk_resampling(samples, remaining, *literal_operators(method, tuples), method.reference, choose)
    assert released(groups) == expected_of(pairs, tuple_points)
    assert groups.details == {"leftovers": len(data) % k}


@settings(max_examples=50)
@given(st.data(), OPTIONS)
def test_literal_heer(draw, options):
    data = draw.draw(microdata(least=1, most=12))
    t = draw.draw(st.integers(1, 4))
    method = HeerResampling(samples=t, **SETTINGS[draw.draw(settings_for(data))], **options)
    tuples = Tuples.of(data.table)
    tuple_points = tuple_records(tuples)
    groups = method._average(tuples, np.random.default_rng(1))
    table = np.repeat(np.arange(len(tuples)), tuples.counts)
    drawn = table[np.random.default_rng(1).integers(len(table), size=(t, len(table)))].tolist()
    pairs = lit.heers_resampling(
        [as_records(tuple_points, sample) for sample in drawn],
        as_records(tuple_points, table.tolist()),
        *literal_operators(method, tuples),
        method.reference,
    )
    assert released(groups) == expected_of(pairs, tuple_points)


@settings(max_examples=50)
@given(microdata(least=2), st.integers(1, 3))
def test_samples_are_sorted_by_the_sorting_operator(data, size):
    tuples = Tuples.of(data.table)
    samples = np.random.default_rng(0).integers(len(tuples), size=(size, 6))
    in_order = Resampling(k=2, reference="sample")._sorted(tuples, samples, np.random.default_rng(0))
    for sample, found in zip(samples, in_order, strict=True):
        rows, counts = np.unique(sample, return_counts=True)
        columns = [points[tuples.indices[rows, j]] for j, points in enumerate(tuples.points)]
        centre = [np.array([point]) for point in record_centroid(tuples.spaces, columns, counts)]
        first = farthest(record_distances(tuples.spaces, columns, centre)[:, 0])[0]
        distances = record_distances(tuples.spaces, columns, [column[[first]] for column in columns])[:, 0]
        distances[first] = -1
        order = np.argsort(levels_of(distances)[0], kind="stable")
        assert found.tolist() == np.repeat(rows[order], counts[order]).tolist()


@pytest.mark.parametrize("reference", ["table", "sample"])
def test_random_ties_stay_ties(reference):
    flat = om.Taxonomy.from_edges([(value, "top") for value in "abcd"])
    data = om.Microdata(pd.DataFrame({"x": list("aaabbccd")}), {"x": om.Nominal(flat)})
    tuples = Tuples.of(data.table)
    method = Resampling(k=2, ties="random", reference=reference)
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(50):
        (found,) = method._sorted(tuples, data.table.inverse[None, :], rng)
        values = "".join(data.frame["x"][np.flatnonzero(data.table.inverse == i)[0]] for i in found)
        assert sorted(values) == sorted(data.frame["x"])
        # All that differ from the extreme are equally far from it: they mix; those like it come first.
        assert values == values[0] * (data.frame["x"] == values[0]).sum() + values.lstrip(values[0])
        seen.add(values)
    assert len(seen) > 20


@pytest.mark.parametrize(
    ("from_mode", "between", "expected"),
    [
        # 1 is the extreme, and comes first although 0 is at distance 0 from it.
        ((0.5, 0.9), 0.0, [1, 0, 2]),
        # 0.1 + 0.2 is no farther than 0.3: of two extremes the first.
        ((0.3, 0.1 + 0.2), 0.5, [0, 2, 1]),
    ],
)
def test_extremes(from_mode, between, expected):
    a, b = from_mode
    space = MatrixSpace([[0, between, a], [between, 0, b], [a, b, 0]])
    tuples = Tuples([space], [np.arange(3)], np.arange(3)[:, None], np.array([1, 1, 2]))
    method = Resampling(k=2, centroid="mode", reference="sample")
    found = method._sorted(tuples, np.array([[2, 1, 0, 2]]), np.random.default_rng(0))
    assert list(dict.fromkeys(found[0].tolist())) == expected


def test_by_hand():
    data = om.Microdata(pd.DataFrame({"x": [0, 1, 9, 10]}), {"x": om.Numeric()})
    found = {tuple(Resampling(k=2).mask(data, seed=seed).frame["x"]) for seed in range(20)}
    # The samples {0, 1} and {9, 10} give the sets (0, 9) and (1, 10); the other two ways to share them out give
    # (0, 1) and (9, 10). Means are rounded as the data are: 4.5 and 5.5, or 0.5 and 9.5.
    assert found == {(4, 6, 4, 6), (0, 0, 10, 10)}


def test_own_extremes_may_run_in_opposite_directions():
    # Samples {0, 6, 7} and {1, 2, 9}: by their own extremes 0 6 7 and 9 2 1; by the table's, which is 9 (the mean is
    # 25/6), 7 6 0 and 9 2 1.
    data = om.Microdata(pd.DataFrame({"x": [0, 1, 2, 6, 7, 9]}), {"x": om.Numeric()})
    tuples = Tuples.of(data.table)
    samples = np.array([[3, 0, 4], [5, 1, 2]])
    rng = np.random.default_rng(0)
    assert Resampling(k=2, reference="sample")._sorted(tuples, samples, rng).tolist() == [[0, 3, 4], [5, 2, 1]]
    assert Resampling(k=2)._sorted(tuples, samples, rng).tolist() == [[4, 3, 0], [5, 2, 1]]


@settings(max_examples=80)
@given(st.data(), OPTIONS, st.sampled_from(["tuple", "random"]))
def test_any_data_any_k(draw, options, ties):
    data = draw.draw(microdata(least=2, kept=draw.draw(st.booleans())))
    names = list(data.quasi_identifiers)
    before = records_of(data.frame, names)
    k = draw.draw(st.integers(2, len(data)))
    method = Resampling(k=k, ties=ties, **SETTINGS[draw.draw(settings_for(data))], **options)
    if min(Counter(tuple(cell is None for cell in record) for record in before).values()) < k:
        with pytest.raises(MaskingError) as caught:
            method.mask(data, seed=3)
        assert caught.value.parameter == "k"
        return
    result = method.mask(data, seed=3)
    after = records_of(result.frame, names)
    assert len(after) == len(before)
    assert min(Counter(after).values()) == result.guarantee.k >= k
    for name, column in data.quasi_identifiers.items():
        if name.startswith("nominal"):
            assert set(result.frame[name].dropna()) <= set(column.domain.ids)
    assert records_of(method.mask(data, seed=3).frame, names) == after


@settings(max_examples=40)
@given(microdata(least=1, kept=True), st.integers(1, 4))
def test_heers_claims_nothing_and_keeps_every_row(data, samples):
    names = list(data.quasi_identifiers)
    method = HeerResampling(samples=samples)
    result = method.mask(data, seed=0)
    before, after = records_of(data.frame, names), records_of(result.frame, names)
    assert [[cell is None for cell in record] for record in after] == [
        [cell is None for cell in record] for record in before
    ]
    assert (result.guarantee.claim, result.guarantee.k) == ("", None)
    assert records_of(method.mask(data, seed=0).frame, names) == after


def test_heers_is_not_anonymous():
    data = om.Microdata(pd.DataFrame({"x": range(50)}), {"x": om.Numeric()})
    after = HeerResampling(samples=5).mask(data, seed=0).frame["x"]
    assert min(Counter(after).values()) == 1
    # Averages of sorted samples ascend with the record, but for the direction that all share.
    steps = np.diff(after)
    assert (steps >= 0).all()


def test_a_mean_of_equal_numbers_equals_them():
    mean = (0.1 + 0.1 + 0.1) / 3
    assert mean != 0.1  # a rounding error
    tuples = Tuples.of(om.Microdata(pd.DataFrame({"dose": [0.1, 0.7]}), {"dose": om.Numeric()}).table)
    method = Resampling(k=2, comparison="equality")
    of_first = np.zeros(20, dtype=np.int64)
    joined = method._closest(tuples, of_first, [np.array([0.7, mean])], np.random.default_rng(0))
    assert joined.tolist() == [1] * 20


def test_mixed_tables_with_weights():
    jobs = om.Taxonomy.from_edges([("clerk", "worker"), ("cook", "worker"), ("smith", "worker")])
    frame = pd.DataFrame({"job": ["clerk", "cook", "smith"] * 4, "age": [20, 30, 40, 50] * 3, "pain": list("abc") * 4})
    data = om.Microdata(
        frame, {"job": om.Nominal(jobs, weight=2.0), "age": om.Numeric(), "pain": om.Ordinal(["a", "b", "c"])}
    )
    for ties in ("tuple", "random"):
        result = Resampling(k=5, ties=ties).mask(data, seed=0)
        assert result.guarantee.k >= 5
        assert set(result.frame["pain"]) <= {"a", "b", "c"}
        assert result.frame["age"].between(20, 50).all()


def test_bad_parameters():
    for k in (1, 0, 2.0, True):
        with raises(MaskingError, parameter="k"):
            Resampling(k=k)
    for samples in (0, -1, 1.5, True):
        with raises(MaskingError, parameter="samples"):
            HeerResampling(samples=samples)
    for name in ("comparison", "centroid", "ties", "reference"):
        for method in (Resampling, HeerResampling):
            with raises(MaskingError, parameter=name):
                method(5, **{name: "best"})
    data = om.Microdata(pd.DataFrame({"x": [1, 2, 3]}), {"x": om.Numeric()})
    with pytest.raises(MaskingError) as caught:
        Resampling(k=4).mask(data, seed=0)
    assert caught.value.parameter == "k"


def test_least_common_subsumers_of_numbers_are_ranges():
    data = om.Microdata(pd.DataFrame({"x": [1, 2, 8, 9]}), {"x": om.Numeric()})
    assert set(Resampling(k=2, centroid="lcs").mask(data, seed=0).frame["x"]) <= {
        "1-2",
        "1-8",
        "2-9",
        "1-9",
        "2-8",
        "8-9",
    }
    result = HeerResampling(samples=2, centroid="lcs").mask(data, seed=0)
    om.attack(data, result)
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse


@pytest.mark.parametrize("number", SETTINGS)
def test_one_distinct_tuple_stays(number):
    flat = om.Taxonomy.from_edges([(value, "top") for value in "ab"])
    data = om.Microdata(pd.DataFrame({"x": ["a"] * 7}), {"x": om.Nominal(flat)})
    for method in (Resampling(k=3, **SETTINGS[number]), HeerResampling(samples=2, **SETTINGS[number])):
        assert method.mask(data, seed=0).frame.equals(data.frame)


def test_defaults_lose_less_than_half_on_adult():
    data = adult_data()
    tuples = Tuples.of(data.table)

    def loss(**options):
        found = []
        for seed in range(3):
            result = Resampling(k=5, **options).mask(data, seed=seed)
            masked = [column.point[column.code] for column in result.data.columns.values()]
            original = [points[tuples.indices[data.table.inverse, j]] for j, points in enumerate(tuples.points)]
            found.append(sse(tuples.spaces, original, masked, np.ones(len(data))))
        return sum(found)

    assert loss() < loss(ties="random") / 2
    assert loss() < loss(reference="sample") / 2
    assert loss() < loss(**SETTINGS[3])
