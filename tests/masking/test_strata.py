"""Strata: with `by`, every method masks each stratum by itself, and its guarantee holds inside each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import MaskingError, TableError
from ontomask.microdata.joined import JoinedPlan

from support.families import PUBLIC, all_examples
from support.tables import records_of

EDGES = [("ache", "pain"), ("colic", "pain"), ("lumbago", "ache"), ("migraine", "ache")]
EDGES += [("pain", "symptom"), ("inflammation", "symptom"), ("gastritis", "inflammation")]
SYMPTOMS = om.Nominal(om.Taxonomy.from_edges(EDGES), domain="symptom")
VALUES = ["ache", "colic", "lumbago", "migraine", "gastritis"]
NAMES = ["now", "then"]

METHODS = [replace(method, by=["year"]) for method in all_examples() if type(method).__name__ not in PUBLIC]
every_method = pytest.mark.parametrize("method", METHODS, ids=repr)
SWAPPING = (om.RankSwapping, om.DataSwapping, om.DistributionalRankSwapping)


def visits(records=60):
    rng = np.random.default_rng(5)
    now, then = ([VALUES[i] for i in rng.integers(0, 5, records)] for _ in range(2))
    return pd.DataFrame({"now": now, "then": then, "year": rng.integers(2000, 2003, records), "cost": range(records)})


def roles(frame, **options):
    return om.Microdata(frame, dict.fromkeys(NAMES, SYMPTOMS), other=["year"], confidential=["cost"], **options)


def by_year(frame):
    return {year: records_of(part, NAMES) for year, part in frame.groupby("year")}


@pytest.fixture(scope="module")
def data():
    return roles(visits())


@every_method
def test_each_stratum_is_masked_by_itself(method, data):
    result = method.mask(data, seed=1)
    after = by_year(result.frame)
    if result.guarantee.k is not None:
        assert min(min(Counter(records).values()) for records in after.values()) == result.guarantee.k >= method.k
        assert "year" in result.guarantee.text
    if isinstance(method, SWAPPING):
        for year, before in by_year(data.frame).items():
            for j in range(2):
                assert Counter(r[j] for r in before) == Counter(r[j] for r in after[year]), "a value left its stratum"
    assert result.details["strata"] == 3
    again = method.mask(data, seed=1)
    assert again.frame.equals(result.frame)


@pytest.mark.parametrize(
    "method",
    [
        om.Microaggregation(k=3),
        om.Generalisation(k=2),
        om.Generalisation(k=2, mode="full_domain", suppression=0.1),
        om.Suppression(k=2),
        om.Suppression(k=2, mode="cells"),
    ],
    ids=repr,
)
def test_the_result_is_that_of_each_stratum_alone(method, data):
    result = replace(method, by=["year"]).mask(data)
    frame = data.frame
    for year in (2000, 2001, 2002):
        alone = method.mask(roles(frame[frame["year"] == year].reset_index(drop=True))).frame
        inside = result.frame[result.frame["year"] == year].reset_index(drop=True)
        assert inside[[*NAMES, "cost"]].equals(alone[[*NAMES, "cost"]])


def test_strata_that_are_too_small_are_an_error():
    frame = visits()
    frame.loc[:1, "year"] = [1998, 1999]
    with pytest.raises(MaskingError) as caught:
        om.Microaggregation(k=2, by=["year"]).mask(roles(frame))
    assert (caught.value.parameter, caught.value.column) == ("by", "year")
    assert caught.value.values == ("1998", "1999")
    assert "2 of 5" in str(caught.value)
    assert "2 records" in str(caught.value)
    assert "1998" not in str(caught.value)


@pytest.mark.parametrize("by", [["cost"], ["now"], ["nothing"]])
def test_only_kept_columns_divide_a_table(by, data):
    with pytest.raises(MaskingError) as caught:
        om.PRAM(by=by).mask(data)
    assert (caught.value.parameter, caught.value.column) == ("by", by[0])


@pytest.mark.parametrize("by", ["year", [1], 3])
def test_by_is_a_list_of_names(by):
    with pytest.raises(MaskingError) as caught:
        om.PRAM(by=by)
    assert caught.value.parameter == "by"


def test_strata_of_several_columns(data):
    frame = visits().assign(half=[0, 1] * 30)
    data = om.Microdata(frame, dict.fromkeys(NAMES, SYMPTOMS), other=["year", "half"], confidential=["cost"])
    result = om.Microaggregation(k=2, by=["year", "half"]).mask(data)
    assert result.details["strata"] == 6
    assert min(result.frame.groupby([*NAMES, "year", "half"]).size()) == result.guarantee.k >= 2


def test_k_counts_persons_inside_each_stratum():
    frame = visits().assign(who=[i // 2 for i in range(60)])
    data = roles(frame, person="who")
    result = om.Microaggregation(k=3, by=["year"]).mask(data)
    who = frame["who"].to_numpy()[result.data.rows]
    persons = result.frame.assign(who=who).groupby([*NAMES, "year"])["who"].nunique()
    assert result.guarantee.unit == "persons"
    assert persons.min() == result.guarantee.k >= 3


def test_requirements_hold_inside_each_stratum():
    frame = visits().assign(cost=[i % 2 for i in range(60)])
    data = roles(frame)
    result = om.Microaggregation(k=2, by=["year"], require=[om.Diversity("cost", 2)]).mask(data, seed=0)
    assert result.frame.groupby([*NAMES, "year"])["cost"].nunique().min() == 2
    with pytest.raises(MaskingError) as caught:
        om.Suppression(k=2, by=["year"], require=[om.Diversity("cost", 2)]).mask(data)
    assert caught.value.parameter == "require"


def test_kept_cells_stay_in_their_stratum():
    frame = visits()
    frame.loc[::4, "then"] = None
    data = om.Microdata(frame, dict.fromkeys(NAMES, SYMPTOMS), other=["year"], confidential=["cost"], missing="keep")
    for method in (om.Microaggregation(k=2, by=["year"]), om.PRAM(by=["year"]), om.Suppression(k=2, by=["year"])):
        result = method.mask(data, seed=1)
        assert (result.frame["then"].isna().to_numpy() == frame["then"].isna().to_numpy()[result.data.rows]).all()


def test_noise_levels_of_records_go_with_their_records(data):
    alpha = np.where(data.frame["year"] == 2001, 0.5, 0.0)
    alpha[0] = alpha[59] = alpha[np.flatnonzero(data.frame["year"] != 2001)[:20]] = 0.5
    result = om.UncorrelatedNoise(alpha=alpha, by=["year"]).mask(data, seed=0)
    same = (result.frame[NAMES] == data.frame[NAMES]).all(axis=1).to_numpy()
    assert (same == (alpha == 0)).all()
    assert ((result.noise["now"] == 0) == (alpha == 0)).all()
    with pytest.raises(MaskingError) as caught:
        om.UncorrelatedNoise(alpha=alpha[:50], by=["year"]).mask(data)
    assert caught.value.parameter == "alpha"
    with pytest.raises(MaskingError) as caught:
        om.UncorrelatedNoise(by=["year"]).fit(data)
    assert caught.value.parameter == "by"


def test_the_plan_of_strata_can_be_saved_and_applied(data, tmp_path):
    result = om.Suppression(k=2, by=["year"]).mask(data, seed=1)
    assert isinstance(result.plan, JoinedPlan)
    om.save_plan(result, tmp_path / "strata.plan")
    plan = om.load_plan(tmp_path / "strata.plan")
    masked = plan.apply(data)
    assert (np.flatnonzero(~masked.suppressed) == result.data.rows).all()
    counts = result.plan.counts()
    assert counts.records.sum() == len(data)
    assert counts.records[counts.masked < 0].sum() == len(data) - len(result.frame)
    score = om.evaluate(data, om.Suppression(k=2, by=["year"]).plan(data))
    assert score.utility.suppressed == len(data) - len(result.frame)


def test_a_promise_counts_strata(data):
    plan = om.Microaggregation(k=3, by=["year"]).mask(data).plan
    shuffled = data.frame.assign(year=np.random.default_rng(1).permutation(data.frame["year"].to_numpy()))
    assert plan.apply(data).suppressed.sum() == 0
    with pytest.raises(om.PlanError) as caught:
        plan.apply(roles(shuffled))
    assert caught.value.code == "promise"


@pytest.mark.parametrize("method", [method for method in METHODS if method.makes_groups], ids=repr)
def test_intruders_who_know_the_method_attack_each_stratum(method, data):
    result = method.mask(data, seed=1)
    found = om.attack(data, result).method
    frame, released = data.frame, result.data
    # Inside a stratum the intruder knows who is in which group of equal rows.
    after = [None] * len(data)
    for row, record in zip(released.rows, records_of(result.frame, NAMES), strict=True):
        after[row] = (*record, frame["year"][row])
    sizes = Counter(after)
    linked = [0.0 if record is None else 1 / sizes[record] for record in after]
    assert found.linked_records == pytest.approx(linked)


@pytest.mark.parametrize("method", [method for method in METHODS if not method.makes_groups], ids=repr)
def test_intruders_combine_what_they_find_in_each_stratum(method, data):
    result = method.mask(data, seed=1)
    found = om.attack(data, result, runs=4)
    assert len(found.method.linked_records) == len(data)
    assert found.method.linked == pytest.approx(100 * found.method.linked_records.mean())
    # No guess leaves the stratum: the most frequent tuple of each stratum is guessed.
    modes = [max(Counter(records).values()) for records in by_year(data.frame).values()]
    assert found.method.mode == pytest.approx(100 * sum(modes) / len(data))
    assert (found.ranks is None) != isinstance(method, (om.RankSwapping, om.DistributionalRankSwapping))


def test_the_mode_is_that_of_each_stratum():
    frame = pd.DataFrame({"now": ["ache"] * 6 + ["colic"] * 6, "year": [1] * 6 + [2] * 6})
    data = om.Microdata(frame, {"now": SYMPTOMS}, other=["year"])
    found = om.attack(data, om.PRAM(stay=0.5, by=["year"]).mask(data, seed=0)).method
    assert (found.mode, found.recovered, found.basis) == (100, 100, "exact")
    assert om.attack(data, om.PRAM(stay=0.5).mask(data, seed=0)).method.mode == 50


def test_a_masked_file_is_evaluated_with_its_method(data):
    method = om.Microaggregation(k=3, by=["year"])
    result = method.mask(data)
    ours, read = om.evaluate(data, result), om.evaluate(data, result.frame, method=method)
    assert ours.linked_by_method == read.linked_by_method
    with pytest.raises(TableError):
        om.evaluate(data, result, method=method)


@every_method
def test_the_order_of_the_rows_does_not_matter(method, data):
    frame = data.frame.iloc[np.random.default_rng(3).permutation(60)].reset_index(drop=True)
    result, other = method.mask(data, seed=0), method.mask(roles(frame), seed=0)
    released, again = (Counter(records_of(one.frame, [*NAMES, "year"])) for one in (result, other))
    assert released == again


LOST = {
    "nominal": (SYMPTOMS, ["ache", "colic"]),
    "set": (om.ConceptSet(SYMPTOMS.taxonomy), ["ache;colic", "colic"]),
    "category": (om.Category(), ["yes", "no"]),
    "number": (om.Numeric(), ["1", "2"]),
    "ordinal": (om.Ordinal(["low", "high"]), ["low", "high"]),
    "date": (om.Date(), ["2021-03-01", "2022-04-05"]),
}


@pytest.mark.parametrize(
    ("kind", "policy"), [*((kind, "keep") for kind in LOST), ("number", "root"), ("number", "category")]
)
@every_method
def test_a_column_may_have_no_value_in_a_stratum(method, kind, policy):
    attribute, values = LOST[kind]
    frame = pd.DataFrame({"x": [None] * 8 + values * 4, "now": VALUES[:4] * 4, "year": [1] * 8 + [2] * 8})
    table = om.Microdata(frame, {"x": attribute, "now": SYMPTOMS}, other=["year"], missing={"x": policy})
    if isinstance(method, (om.UncorrelatedNoise, om.CorrelatedNoise)) or (
        isinstance(method, om.NaiveDistortion) and policy != "keep"
    ):
        # Noise needs nominal columns with values, and naive distortion another value.
        with pytest.raises(MaskingError):
            method.mask(table, seed=0)
        return
    result = method.mask(table, seed=0)
    om.evaluate(table, result)
    if policy == "keep":
        assert result.frame["x"][result.frame["year"] == 1].isna().all()
