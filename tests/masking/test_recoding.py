from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.examples import adult_data
from ontomask.masking import recoding
from ontomask.masking.recoding import CRITERIA, Recoding
from ontomask.microdata.tuples import Tuples

from support import literal_recoding as lit
from support.errors import raises
from support.records import semantic_loss
from support.small_taxonomies import SYMPTOMS
from support.tables import microdata, records_of, tuple_records


def table(counts, weight=1.0, **others):
    """Symptoms by their counts; of the other columns one cell a symptom."""
    values = [value for value, n in counts.items() for _ in range(n)]
    attributes = {"symptom": om.Nominal(SYMPTOMS, {"name": "path"}, domain="symptom", weight=weight)}
    frame = {"symptom": values}
    for name, (attribute, cells) in others.items():
        attributes[name] = attribute
        frame[name] = [cell for cell, n in zip(cells, counts.values(), strict=True) for _ in range(n)]
    return om.Microdata(pd.DataFrame(frame), attributes)


def recoded(data, *, seed=0, **options):
    """What became of each symptom, and the result."""
    result = Recoding(**options).mask(data, seed=seed)
    return dict(zip(data.frame["symptom"], result.frame["symptom"], strict=True)), result


def test_each_rare_tuple_goes_to_the_nearest_that_is_less_rare():
    # Links: migraine–lumbago 2, migraine–colic 3, migraine–gastritis 5.
    counts = {"migraine": 1, "lumbago": 3, "colic": 4, "gastritis": 2}
    became, result = recoded(table(counts), k=2)
    assert became == {"migraine": "lumbago", "lumbago": "lumbago", "colic": "colic", "gastritis": "gastritis"}
    assert result.details == {"groups": 3, "passes": 1, "replaced": 1}
    assert result.guarantee.k == 2


def test_passes_go_on_from_what_the_last_one_left():
    # Pass 1: migraine (1) to lumbago, then 3. Pass 2: colic (2) to lumbago, 3 links, not to gastritis, 4.
    # Pass 3: lumbago, now 5, is enough; gastritis (3) goes there.
    counts = {"migraine": 1, "lumbago": 2, "colic": 2, "gastritis": 3}
    became, result = recoded(table(counts), k=4, sequential=False)
    assert set(became.values()) == {"lumbago"}
    assert result.details["passes"] == 3


def test_counts_are_those_at_the_start_of_a_pass():
    # Both uniques weigh gastritis at 2 records, although the other one is on its way there:
    # appendicitis 2 links × 2 = 4 < 5 × 3, and inflammation 1 × 2 < 4 × 3.
    counts = {"appendicitis": 1, "inflammation": 1, "gastritis": 2, "lumbago": 3}
    became, _ = recoded(table(counts), k=2, weighted=True)
    assert became["appendicitis"] == became["inflammation"] == "gastritis"


def test_weighted_prefers_rare_tuples():
    # From migraine: lumbago 2 links × 9 records = 18; colic 3 × 4 = 12; gastritis 5 × 2 = 10.
    counts = {"migraine": 1, "lumbago": 9, "colic": 4, "gastritis": 2}
    assert recoded(table(counts), k=2)[0]["migraine"] == "lumbago"
    assert recoded(table(counts), k=2, weighted=True)[0]["migraine"] == "gastritis"


def test_discernibility_takes_the_rarest():
    counts = {"migraine": 1, "lumbago": 9, "colic": 4, "gastritis": 2, "appendicitis": 8}
    assert recoded(table(counts), k=2, criterion="discernibility")[0]["migraine"] == "gastritis"


def test_equality_counts_attributes_that_differ():
    counts = {"migraine": 1, "lumbago": 2, "colic": 3}
    job = om.Nominal(om.Taxonomy.from_edges([("clerk", "worker"), ("cook", "worker"), ("guard", "worker")]))
    data = table(counts, job=(job, ["clerk", "cook", "clerk"]))
    assert recoded(data, k=2, criterion="equality")[0]["migraine"] == "colic"


def test_attributes_weigh_as_told():
    # Ages span 20: to (lumbago, 50) 2/6 + 20/20, to (gastritis, 30) 5/6 + 0; with four times the weight for symptoms
    # 8/6 + 1 < 20/6.
    counts = {"migraine": 1, "lumbago": 2, "gastritis": 2}
    ages = (om.Numeric(), [30, 50, 30])
    assert recoded(table(counts, age=ages), k=2)[0]["migraine"] == "gastritis"
    assert recoded(table(counts, weight=4.0, age=ages), k=2)[0]["migraine"] == "lumbago"


def test_ordinal_and_numeric_columns_take_cells_of_the_data():
    frame = pd.DataFrame({"age": [20, 21, 60, 60], "pain": ["low", "low", "high", "mid"]})
    data = om.Microdata(frame, {"age": om.Numeric(), "pain": om.Ordinal(["low", "mid", "high"])})
    released = Recoding(k=2).mask(data, seed=1).frame
    assert set(zip(released["age"], released["pain"], strict=True)) <= set(
        zip(frame["age"], frame["pain"], strict=True)
    )
    assert Counter(zip(released["age"], released["pain"], strict=True)).most_common()[-1][1] == 2


def test_where_all_are_equally_rare_receivers_stay():
    # In turn: the first of two neighbours goes to the other, which stays.
    counts = dict.fromkeys(["appendicitis", "gastritis", "lumbago", "migraine"], 1)
    for sequential in (False, True, None):
        became, result = recoded(table(counts), k=2, sequential=sequential)
        assert became["appendicitis"] == became["gastritis"] in ("appendicitis", "gastritis")
        assert became["lumbago"] == became["migraine"] in ("lumbago", "migraine")
        assert result.details["passes"] == 1


def test_in_turn_rare_tuples_may_receive_too():
    # All at once, both aches have only gastritis to go to; in turn, the first goes to the second, which stays.
    counts = {"lumbago": 1, "migraine": 1, "gastritis": 2}
    together, _ = recoded(table(counts), k=2, sequential=False)
    assert set(together.values()) == {"gastritis"}
    in_turn, _ = recoded(table(counts), k=2, sequential=True)
    assert in_turn == {"lumbago": "migraine", "migraine": "migraine", "gastritis": "gastritis"}


def test_without_the_first_heuristic_all_rare_tuples_leave_at_once():
    # lumbago (2) is no refuge for migraine (1): both have fewer than 3.
    counts = {"migraine": 1, "lumbago": 2, "colic": 3, "gastritis": 9}
    became, result = recoded(table(counts), k=3, rarest_first=False, sequential=False)
    assert became["migraine"] == became["lumbago"] == "colic"
    assert result.details["passes"] == 1
    assert recoded(table(counts), k=3, sequential=False)[0]["migraine"] == "lumbago"


def test_the_default_is_in_turn_where_most_tuples_are_rare():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 500, 300), "b": rng.integers(0, 500, 300)})
    frame.iloc[1] = frame.iloc[0]
    data = om.Microdata(frame, {"a": om.Numeric(), "b": om.Numeric()})
    default, in_turn, together = (Recoding(k=2, sequential=how).mask(data, seed=0).frame for how in (None, True, False))
    assert default.equals(in_turn)
    # All others crowd onto the one pair.
    assert len(together.drop_duplicates()) == 1
    assert len(default.drop_duplicates()) > 90

    common = table({"migraine": 1, "lumbago": 2, "colic": 2, "gastritis": 3, "pain": 4, "ache": 4})
    assert Recoding(k=2).mask(common, seed=0).frame.equals(Recoding(k=2, sequential=False).mask(common, seed=0).frame)


@pytest.mark.parametrize("options", [{}, {"criterion": "chance"}, {"criterion": "equality"}], ids=str)
@pytest.mark.parametrize("sequential", [False, True])
def test_ties_are_broken_evenly(options, sequential):
    # colic, at the same distance from all four, which are less rare.
    counts = {"colic": 1, "lumbago": 2, "migraine": 3, "appendicitis": 4, "gastritis": 5}
    frame = pd.DataFrame({"symptom": [value for value, n in counts.items() for _ in range(n)]})
    flat = om.Taxonomy.from_edges([(value, "symptom") for value in counts])
    data = om.Microdata(frame, {"symptom": om.Nominal(flat)})
    tuples = Tuples.of(data.table)
    method = Recoding(k=2, sequential=sequential, **options)
    rng = np.random.default_rng(0)
    colic = int(np.argmin(tuples.counts))
    chosen = Counter(int(method._replacements(tuples, rng)[0][colic]) for _ in range(400))
    assert len(chosen) == 4
    # 100 each, standard deviation 8.7.
    assert all(60 < n < 140 for n in chosen.values())


def test_distances_within_rounding_tie():
    # 0.05 + 0.1 is not 0.15 in binary, but as far.
    frame = pd.DataFrame({"x": [0.0, 0.1, 0.1, 0.3, 0.3, 1.0, 1.0], "y": [0.0, 0.2, 0.2, 0.0, 0.0, 1.0, 1.0]})
    data = om.Microdata(frame, {name: om.Numeric(scale="range") for name in frame})
    assert (0.1 + 0.2) / 2 != 0.3 / 2
    found = {tuple(Recoding(k=2).mask(data, seed=seed).frame.iloc[0]) for seed in range(20)}
    assert found == {(0.1, 0.2), (0.3, 0.0)}


def distance_of(data):
    tuples = Tuples.of(data.table)

    def distance(r, s):
        parts = [
            share * space.matrix(np.array([x]), np.array([y]))[0, 0]
            for space, share, x, y in zip(tuples.spaces, tuples.shares, r, s, strict=True)
        ]
        return float(sum(parts))

    return tuples, distance


@settings(max_examples=120)
@given(st.data())
def test_literal(draw):
    data = draw.draw(microdata(least=2, most=20))
    criterion = draw.draw(st.sampled_from(CRITERIA))
    method = Recoding(
        k=draw.draw(st.integers(2, len(data))),
        criterion=criterion,
        weighted=criterion in ("semantic", "equality") and draw.draw(st.booleans()),
        rarest_first=draw.draw(st.booleans()),
        sequential=draw.draw(st.booleans()),
    )
    tuples, distance = distance_of(data)
    target, passes = method._replacements(tuples, np.random.default_rng(draw.draw(st.integers(0, 9))))
    tuple_points = tuple_records(tuples)
    replaced_by = {tuple_points[t]: tuple_points[v] for t, v in enumerate(target.tolist()) if t != v}

    def score(t, v, repetitions):
        if criterion == "discernibility":
            return float(repetitions)
        if criterion == "chance":
            return 0.0
        unequal = sum(share for share, x, y in zip(tuples.shares, t, v, strict=True) if x != y)
        return (distance(t, v) if criterion == "semantic" else unequal) * (repetitions if method.weighted else 1)

    left = set()

    def choose(t, tied):
        left.add(t)
        assert replaced_by[t] in tied
        return replaced_by[t]

    records = [tuple_points[i] for i in data.table.inverse.tolist()]
    masked, literal_passes = lit.recode(
        records, method.k, score, choose, rarest_first=method.rarest_first, sequential=method.sequential
    )
    assert left == set(replaced_by)
    assert passes == literal_passes
    ends = [tuple_points[t] for t in final(target)]
    assert [ends[i] for i in data.table.inverse.tolist()] == masked


def final(target):
    for _ in range(len(target)):
        target = target[target]
    return target.tolist()


@settings(max_examples=80)
@given(st.data())
def test_any_data_any_k(draw):
    data = draw.draw(microdata(least=2, most=24, kept=draw.draw(st.booleans())))
    names = list(data.quasi_identifiers)
    before = records_of(data.frame, names)
    method = Recoding(k=draw.draw(st.integers(2, len(data))), criterion=draw.draw(st.sampled_from(CRITERIA)))
    if min(Counter(tuple(cell is None for cell in record) for record in before).values()) < method.k:
        with pytest.raises(MaskingError) as caught:
            method.mask(data, seed=3)
        assert caught.value.parameter == "k"
        return
    result = method.mask(data, seed=3)
    after = records_of(result.frame, names)
    assert len(after) == len(before)
    assert min(Counter(after).values()) == result.guarantee.k >= method.k
    assert set(after) <= set(before)
    assert len(set(after)) == result.details["groups"]
    assert records_of(method.mask(data, seed=3).frame, names) == after


@pytest.mark.parametrize("sequential", [False, True])
def test_a_few_at_a_time_is_the_same(monkeypatch, sequential):
    data = adult_data("occupation", numeric=("age",))
    tuples = Tuples.of(data.table)
    method = Recoding(k=20, sequential=sequential)
    whole, _ = method._replacements(tuples, np.random.default_rng(1))
    monkeypatch.setattr(recoding, "_AT_ONCE", 1000)
    few, _ = method._replacements(tuples, np.random.default_rng(1))
    assert (whole == few).all()


def test_bad_parameters():
    for k in (1, 0, -3, 2.0, True, "5"):
        with raises(MaskingError, parameter="k"):
            Recoding(k=k)
    with raises(MaskingError, parameter="criterion"):
        Recoding(k=2, criterion="best")
    for flag in ({"weighted": 1}, {"rarest_first": None}, {"sequential": "yes"}):
        with raises(MaskingError, parameter=next(iter(flag))):
            Recoding(k=2, **flag)
    for criterion in ("discernibility", "chance"):
        with raises(MaskingError, parameter="weighted"):
            Recoding(k=2, criterion=criterion, weighted=True)
    with pytest.raises(MaskingError) as caught:
        Recoding(k=4).mask(table({"colic": 2, "ache": 1}), seed=0)
    assert caught.value.parameter == "k"


@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_distinct_tuple_stays(criterion):
    data = table({"colic": 5})
    result = Recoding(k=5, criterion=criterion).mask(data, seed=0)
    assert result.frame.equals(data.frame)
    assert result.guarantee.k == 5


def test_semantic_recoding_loses_least_on_adult():
    data = adult_data()
    tuples = Tuples.of(data.table)
    columns = [points[tuples.indices[:, j]] for j, points in enumerate(tuples.points)]
    for k in (5, 20):
        loss = {}
        for criterion in CRITERIA:
            result = Recoding(k=k, criterion=criterion).mask(data, seed=0)
            masked = [column.point[column.code] for column in result.data.columns.values()]
            originals = [column[data.table.inverse] for column in columns]
            loss[criterion] = semantic_loss(tuples.spaces, originals, masked, np.ones(len(data)))
        assert loss["semantic"] < 0.8 * loss["equality"] < 0.8 * loss["discernibility"]
        assert loss["equality"] < loss["chance"]
