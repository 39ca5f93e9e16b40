"""`MetricPrivacy`: what it refuses, what it claims, and that nothing but a record's own values decides."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from math import e, exp

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, PlanError
from ontomask.masking.metric_privacy import randomness
from ontomask.masking.metric_privacy.guarantee import certainty, certainty_text, factor_text, rounded_up, total_of
from ontomask.masking.metric_privacy.weights import STEPS

from support.errors import raises
from support.literal_metric_privacy import d_infinity
from support.public_domains import public_domain
from support.strategies import dags

LINKS = [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom"), ("lumbago", "ache")]
LABELS = {"ache": ["ache", "aching"], "rash": ["rash"], "lumbago": ["low back pain"]}
TAXONOMY = om.Taxonomy.from_edges(LINKS, labels=LABELS)
SYMPTOM = om.Nominal(TAXONOMY, domain="symptom")
WORDS = ["ache", "rash", "colic", "aching"] * 10


def symptoms(words=WORDS, kind=SYMPTOM, **options):
    return om.Microdata(pd.DataFrame({"symptom": list(words)}), {"symptom": kind}, **options)


def mixed(**options):
    frame = pd.DataFrame(
        {
            "symptom": ["ache", "rash"] * 6,
            "sex": ["m"] * 12,
            "age": [30, 31, 250] * 4,
            "seen": ["2020-02-03"] * 6 + ["1900-01-01"] * 6,
            "size": ["S", "L"] * 6,
            "cost": range(12),
        }
    )
    kinds = {
        "symptom": SYMPTOM,
        "sex": om.Category(values=["m", "f"]),
        "age": om.Numeric(grid=[0, 100, 5]),
        "seen": om.Date(precision="month", grid=["2000-01", "2024-12"]),
        "size": om.Ordinal(["S", "M", "L"]),
    }
    return om.Microdata(frame, kinds, confidential=["cost"], **options)


# The claim and its conditions


def test_the_guarantee_names_epsilon_and_what_it_means():
    guarantee = om.MetricPrivacy(epsilon=1.0).mask(symptoms()).guarantee
    assert (guarantee.claim, guarantee.epsilon, guarantee.unit, guarantee.k) == ("metric privacy", 1.0, "records", None)
    assert guarantee.text.code == "metric-private"
    assert "73.2%" in guarantee.text
    column = guarantee.columns["symptom"]
    assert (column.epsilon, column.candidates, column.ratio) == (1.0, 6, (1.0, 6))
    assert {column.worst_pair.first, column.worst_pair.second} == {"low back pain (lumbago)", "rash"}
    assert column.worst_pair.distance == pytest.approx(np.log2(1 + 4 / 5), abs=1 / STEPS)
    assert certainty(1.0) == e / (1 + e)


@given(dags(most=9), st.sampled_from(["log_sc", "wu_palmer", "lin"]))
def test_worst_pair_and_ratio_are_exact(dag, distance):
    domain = public_domain(dag[0], distance)
    method = om.MetricPrivacy(epsilon=1.0, distance=distance)
    data = symptoms([dag[0].root], om.Nominal(dag[0], domain=dag[0].root))
    column = method.mask(data).guarantee.columns["symptom"]
    rows = domain.levels(domain.all_inputs, STEPS).tolist()
    n = len(rows)
    apart = {(x, y): d_infinity(rows, x, y) for x in range(n) for y in range(n)}
    assert column.worst_pair.distance * STEPS == pytest.approx(max(apart.values()))
    assert all(column.d_infinity(x, y) * STEPS == pytest.approx(d) for (x, y), d in apart.items())
    ratios = [d / rows[x][y] if rows[x][y] else np.inf for (x, y), d in apart.items() if d]
    assert column.ratio == (pytest.approx(max([1.0, *ratios])), n)


@given(dags(most=12))
def test_log_sc_is_a_metric(dag):
    """log2(1 + Jaccard distance) is a concave function of a metric that is 0 at 0, and so a metric.

    Sets of subsumers differ between concepts, so only equal concepts are at distance 0. Rounded up to steps, it still
    satisfies the triangle inequality, and d∞ = d.
    """
    taxonomy = dag[0]
    subsumers = [set(taxonomy.subsumers(c)) for c in taxonomy.ids]
    exact = om.distance("log_sc", taxonomy).matrix(list(taxonomy.ids), dtype="float64")
    jaccard = np.array([[1 - len(a & b) / len(a | b) for b in subsumers] for a in subsumers])
    np.testing.assert_allclose(exact, np.log2(1 + jaccard), atol=1e-12)
    domain = public_domain(taxonomy)
    rounded = domain.levels(domain.all_inputs, STEPS).astype(int)
    for d, slack in ((jaccard, 1e-12), (exact, 1e-12), (rounded, 0)):
        assert (d == d.T).all()
        assert ((d == 0) == np.eye(len(d), dtype=bool)).all()
        assert (d[:, :, None] <= d[:, None, :] + d.T[None, :, :] + slack).all()
    assert (np.abs(rounded[:, None] - rounded).max(axis=2) == rounded).all()


def test_the_concave_step_of_the_proof():
    """f(x) = log2(1 + x) is increasing and concave with f(0) = 0, so f(a) + f(b) ≥ f(a + b): (1+a)(1+b) ≥ 1+a+b."""
    grid = np.linspace(0, 1, 201)
    assert ((1 + grid[:, None]) * (1 + grid) >= 1 + grid[:, None] + grid).all()


@pytest.mark.parametrize(
    ("kind", "parameter"),
    [
        (om.Nominal(TAXONOMY), "domain"),
        (om.Category(), "values"),
        (om.Category({"pain": ["ache", "colic"]}), "values"),
        (om.Prefix(), "values"),
        (om.ConceptSet(TAXONOMY, domain="symptom"), None),
    ],
)
def test_a_domain_from_the_data_is_refused(kind, parameter):
    with raises(MaskingError, column="symptom", parameter=parameter):
        om.MetricPrivacy(1.0).mask(symptoms(kind=kind))


@pytest.mark.parametrize(("kind", "cells"), [(om.Numeric(), [1, 2]), (om.Date(), ["2020-01-01", "2021-01-01"])])
def test_numbers_and_dates_need_a_grid(kind, cells):
    with raises(MaskingError, column="symptom", parameter="grid"):
        om.MetricPrivacy(1.0).mask(symptoms(cells, kind))


@pytest.mark.parametrize("policy", ["keep", "drop", "category"])
@pytest.mark.parametrize("which", ["missing", "unmapped"])
def test_policies_that_show_which_cells_were_missing_are_refused(which, policy):
    """Even if no cell is missing: whether the method refuses must not depend on the data."""
    with raises(MaskingError, column="symptom", parameter=which):
        om.MetricPrivacy(1.0).mask(symptoms(**{which: policy}))


def test_a_missing_cell_is_masked_like_the_root():
    data = symptoms(["ache", None, "?", "cough"], missing="root", missing_tokens=["?"], unmapped="root")
    result = om.MetricPrivacy(epsilon=1.0).mask(data)
    assert len(result.frame) == 4
    assert not result.frame["symptom"].isna().any()


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"require": [om.ColumnsK(2, ["symptom"])]}, "require"),
        ({"by": ["year"]}, "by"),
        ({"consistent": True}, "consistent"),
    ],
)
def test_options_that_look_at_other_records_are_refused(options, parameter):
    frame = pd.DataFrame({"symptom": WORDS, "year": 1, "who": range(40)})
    data = om.Microdata(frame, {"symptom": SYMPTOM}, other=["year"], person="who")
    with raises(MaskingError, parameter=parameter):
        om.MetricPrivacy(1.0, **options).mask(data)


def test_linked_columns_are_refused():
    frame = pd.DataFrame({"symptom": WORDS, "code": WORDS})
    data = om.Microdata(frame, {"symptom": SYMPTOM}, linked=[["symptom", "code"]])
    with raises(MaskingError, parameter="linked"):
        om.MetricPrivacy(1.0).mask(data)


def test_counts_of_the_data_in_a_distance_are_refused():
    kind = om.Nominal(TAXONOMY, {"name": "lin", "ic": {"ache": 3}}, domain="symptom")
    with raises(MaskingError, parameter="distance"):
        om.MetricPrivacy(1.0, distance="column").mask(symptoms(kind=kind))
    assert om.MetricPrivacy(1.0).mask(symptoms(kind=kind)).guarantee.claim == "metric privacy"


def test_a_distance_above_one_is_refused():
    with raises(MaskingError, parameter="distance"):
        om.MetricPrivacy(1.0, distance={"name": "path", "raw": True}).mask(symptoms())


def test_seeds_are_refused():
    method, data = om.MetricPrivacy(1.0), symptoms()
    for seed in (0, 2**70, np.random.default_rng(1)):
        with raises(MaskingError, parameter="seed", code="seed-refused"):
            method.mask(data, seed=seed)
        with raises(MaskingError, parameter="seed", code="seed-refused"):
            method.plan(data, seed=seed)


@given(st.floats(1e-6, 40.0))
def test_bounds_in_words_are_rounded_up(epsilon):
    assert exp(epsilon) <= float(factor_text(epsilon)) <= 1.01 * exp(epsilon)
    assert certainty(epsilon) <= float(certainty_text(epsilon).removesuffix("%")) / 100 <= certainty(epsilon) + 0.00101


@given(st.floats(1e-6, 40.0), st.integers(1, 9))
def test_budgets_in_words_are_never_below_the_budget(epsilon, digits):
    shown = float(rounded_up(epsilon, digits))
    assert epsilon * (1 - 1e-15) <= shown <= epsilon * (1 + 10.0 ** (1 - digits)) * (1 + 1e-15)


def test_a_third_is_not_called_less():
    guarantee = om.MetricPrivacy(1 / 3).mask(symptoms()).guarantee
    assert guarantee.text.values["epsilon"] == "0.333334"
    assert "ε = 0.334" in guarantee.columns["symptom"].sentences()[0]


@given(st.lists(st.floats(1e-6, 8.0), min_size=1, max_size=5))
def test_the_sum_of_budgets_is_rounded_up(budgets):
    exact = sum(map(Fraction, budgets))
    assert exact <= Fraction(total_of(budgets)) <= exact * Fraction(1 + 1e-15)


@pytest.mark.parametrize("method", [om.MetricPrivacy(2.0), om.SyntheticRecords(2.0)])
def test_a_plan_is_applied_without_a_seed_and_always_gives_the_same_table(method):
    """Draws are listed in order. Who knows how equal records are dealt, or sees it done twice, finds equal ones."""
    data = symptoms(["ache"] * 50 + ["rash"] * 50 + ["colic"])
    plan = method.plan(data)
    for seed in (5, np.random.default_rng(5)):
        with raises(MaskingError, parameter="seed", code="seed-refused"):
            plan.apply(data, seed=seed)
    first = plan.apply(data).frame
    assert all(plan.apply(data).frame.equals(first) for _ in range(5))
    assert not method.mask(data).frame.equals(first)


def test_pseudonyms_do_not_follow_from_the_secret_that_deals_the_records():
    frame = pd.DataFrame({"symptom": WORDS, "who": np.arange(40) // 2})
    data = om.Microdata(frame, {"symptom": SYMPTOM}, person="who", pseudonyms=True)
    plan = om.MetricPrivacy(2.0).plan(data)
    first, second = plan.apply(data).frame, plan.apply(data).frame
    assert first["symptom"].equals(second["symptom"])
    assert set(first["who"]).isdisjoint(second["who"])


def test_an_unsafe_seed_voids_the_claim():
    method, data = om.MetricPrivacy(1.0, unsafe_seed=True), symptoms()
    result = method.mask(data, seed=1)
    assert (result.guarantee.claim, result.guarantee.epsilon) == ("", None)
    assert method.mask(data).guarantee.claim == ""
    assert result.frame.equals(method.mask(data, seed=1).frame)


def test_random_bits_come_from_the_operating_system(monkeypatch):
    """The state of no generator decides: with the system's bits fixed, two runs are the same."""

    def run():
        monkeypatch.setattr(randomness.secrets, "token_bytes", np.random.default_rng(1).bytes)
        return om.MetricPrivacy(2.0).plan(symptoms()).counts().show(99)

    assert run() == run()


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), True, "1", [], {}, {"a": 0}, [1.0, -1], None])
def test_budgets_must_be_positive(epsilon):
    with raises(MaskingError, parameter="epsilon"):
        om.MetricPrivacy(epsilon)


def test_too_large_a_budget_is_refused():
    with raises(MaskingError, parameter="epsilon", column="symptom"):
        om.MetricPrivacy(33.0).mask(symptoms())


# Nothing of the data but the value


def test_own_spellings_are_never_released():
    """Ten persons wrote "aching", which other methods would release."""
    data = symptoms(["aching"] * 500)
    released = set(om.MetricPrivacy(epsilon=30.0).mask(data).frame["symptom"])
    assert released <= {"symptom", "pain", "ache", "colic", "rash", "low back pain"}
    assert "aching" in set(om.PRAM(stay=0.9).mask(data, seed=0).frame["symptom"])


def test_text_does_not_depend_on_what_occurs():
    """A word that means another concept in the data does not change how a concept is written."""
    taxonomy = om.Taxonomy.from_edges([("a", "top"), ("b", "top")], labels={"a": ["bank"], "b": ["bank", "shore"]})
    domains = [
        symptoms(words, om.Nominal(taxonomy, domain="top")).quasi_identifiers["symptom"].public_domain(None).cells()
        for words in (["bank"], ["shore"], ["a", "b"], ["top"])
    ]
    assert all(cells == ["top", "bank", "bank (b)"] for cells in domains)


def test_ids_or_labels_as_the_kind_says():
    for release, expected in (("id", "lumbago"), ("label", "low back pain"), ("source", "low back pain")):
        kind = om.Nominal(TAXONOMY, domain="symptom", release=release)
        assert expected in symptoms(kind=kind).quasi_identifiers["symptom"].public_domain(None).cells()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_types_do_not_tell_what_occurred(library):
    """Neither a list of categories, nor integers that became floats because of one missing cell."""

    def released(words, ages):
        frame = pd.DataFrame({"word": pd.Categorical(words), "age": ages})
        frame = frame if library == "pandas" else pl.from_pandas(frame)
        kinds = {"word": SYMPTOM, "age": om.Numeric(grid=[0, 100, 10])}
        result = om.MetricPrivacy(epsilon=2.0).mask(om.Microdata(frame, kinds, missing="root")).frame
        return [str(kind) for kind in (result.dtypes if library == "polars" else result.dtypes.tolist())]

    assert released(["ache"] * 30, [3] * 30) == released(["ache", "rash"] * 15, [None, 3] * 15)


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        (om.Numeric(grid=[0, 100, 10]), [3, 4, "5"]),
        (om.Ordinal(["1", "2"]), [1, 1, "2"]),
        (om.Date(grid=["2000-01-01", "2001-12-31"]), [date(2000, 5, 5), "2000-05-06"]),
        (om.Date(grid=["2000-01-01", "2001-12-31"]), [date(2000, 5, 5), datetime(2000, 5, 6)]),
    ],
)
def test_columns_of_several_types_are_refused(kind, cells):
    """One text among numbers would make the released column text."""
    frame = pd.DataFrame({"symptom": pd.Series(cells, dtype=object)})
    with raises(MaskingError, column="symptom", code="mixed-types"):
        om.MetricPrivacy(2.0).mask(om.Microdata(frame, {"symptom": kind}))


def test_candidates_do_not_depend_on_the_data():
    for name in ("sex", "age", "seen", "size"):
        column = mixed().quasi_identifiers[name]
        assert len(column.public_domain(None)) == {"sex": 2, "age": 21, "seen": 300, "size": 3}[name]
    assert mixed().quasi_identifiers["age"].public_domain(None).cells()[:3] == [0, 5, 10]


def test_numbers_are_rounded_to_the_grid_and_ends_are_kept():
    data = mixed()
    column = data.quasi_identifiers["age"]
    domain = column.public_domain(None)
    assert domain.inputs(np.array([30.0, 31, 32.5, 33, 250, -4])).tolist() == [6, 6, 6, 7, 20, 0]
    levels = domain.levels(np.array([6, -1]), STEPS)
    assert levels[0, [6, 7, 20]].tolist() == [0, 50, 700]
    assert (levels[1] == 0).all()


def test_decimal_grids_are_written_with_their_decimals():
    data = symptoms([0.2, 7.25], om.Numeric(grid=[0, 1, 0.25]))
    assert data.quasi_identifiers["symptom"].public_domain(None).cells() == [0.0, 0.25, 0.5, 0.75, 1.0]
    text = symptoms(["0.2", "7.25"], om.Numeric(grid=[0, 1, 0.25]))
    assert text.quasi_identifiers["symptom"].public_domain(None).cells() == ["0.00", "0.25", "0.50", "0.75", "1.00"]


def test_categories_that_are_numbers_stay_numbers():
    data = symptoms([1, 2, 1], om.Category(values=[1, 2, 3]))
    assert data.quasi_identifiers["symptom"].public_domain(None).cells() == [1, 2, 3]
    assert om.MetricPrivacy(1.0).mask(data).frame["symptom"].dtype == np.int64


def test_values_that_are_not_listed_are_unmapped():
    with pytest.raises(om.MappingError):
        symptoms(["m", "x"], om.Category(values=["m", "f"]))


def test_a_plan_is_for_its_own_data_only():
    plan = om.MetricPrivacy(2.0).plan(symptoms())
    with raises(MaskingError, code="other-data"):
        plan.apply(symptoms([*WORDS, "ache"]))
    assert plan.apply(symptoms()).guarantee.claim == "metric privacy"
    by_record = om.MetricPrivacy([1.0] * 40).plan(symptoms())
    with pytest.raises(PlanError):
        by_record.apply(symptoms(WORDS[::-1]))


# Budgets


def test_the_budget_of_a_record_is_divided_among_columns():
    result = om.MetricPrivacy(epsilon=1.0).mask(mixed())
    budgets = [column.epsilon for column in result.guarantee.columns.values()]
    assert result.guarantee.epsilon == 1.0
    assert budgets == [pytest.approx(0.2)] * 5
    assert sum(map(float, budgets)) <= 1.0


def test_each_column_may_have_its_own_budget():
    given = {"symptom": 4.0, "sex": 1.0, "age": 0.5, "seen": 0.25, "size": 0.25}
    guarantee = om.MetricPrivacy(given).mask(mixed()).guarantee
    assert guarantee.epsilon == 6.0
    assert {name: column.epsilon for name, column in guarantee.columns.items()} == given
    with raises(MaskingError, parameter="epsilon", code="other-columns"):
        om.MetricPrivacy({"symptom": 1.0}).mask(mixed())


def test_each_record_may_have_its_own_budget():
    words = ["rash"] * 4000
    data = symptoms(words)
    method = om.MetricPrivacy([0.01, 20.0] * 2000)
    result = method.mask(data)
    released = result.frame["symptom"].to_numpy()
    assert result.guarantee.epsilon == 20.0
    assert np.mean(released[1::2] == "rash") > 0.9
    assert np.mean(released[::2] == "rash") < 0.25
    assert method.transitions(data) is None
    with raises(MaskingError, parameter="epsilon"):
        method.mask(symptoms())


def test_the_budget_of_a_person_is_divided_among_records():
    frame = pd.DataFrame({"symptom": WORDS, "who": np.arange(40) // 4})
    data = om.Microdata(frame, {"symptom": SYMPTOM}, person="who")
    per_record = om.MetricPrivacy(2.0).mask(data).guarantee
    assert (per_record.unit, per_record.epsilon, per_record.columns["symptom"].epsilon) == ("records", 2.0, 2.0)
    per_person = om.MetricPrivacy(2.0, records_per_person=4).mask(data).guarantee
    assert "records a person has" in per_person.text
    assert (per_person.unit, per_person.epsilon, per_person.columns["symptom"].epsilon) == ("persons", 2.0, 0.5)
    with raises(MaskingError, parameter="records_per_person"):
        om.MetricPrivacy(2.0, records_per_person=3).mask(data)
    with raises(MaskingError, parameter="records_per_person"):
        om.MetricPrivacy(2.0, records_per_person=3).mask(symptoms())


def test_only_coarse_concepts_can_be_released():
    """A deeper value counts as the concept above it, so equal inputs are released alike."""
    method, data = om.MetricPrivacy(4.0, depth=1), symptoms(["lumbago", "colic", "rash", "symptom"] * 50)
    result = method.mask(data)
    assert set(result.frame["symptom"]) <= {"symptom", "pain", "rash"}
    rows = method.transitions(data).factors[0].rows(np.arange(4))
    names = [data.quasi_identifiers["symptom"].key(point) for point in data.table.values[0].point]
    assert (rows[names.index("lumbago")] == rows[names.index("colic")]).all()
    assert not (rows[names.index("lumbago")] == rows[names.index("rash")]).all()
    assert result.guarantee.columns["symptom"].candidates == 3
    assert result.guarantee.columns["symptom"].worst_pair.distance < 1
    assert len(om.MetricPrivacy(1.0, depth=1).mask(mixed()).frame) == 12


# Streams, transitions, attacks


@pytest.mark.parametrize("mechanism", ["exponential", "permute_and_flip"])
def test_records_can_be_masked_as_they_arrive(mechanism):
    data = mixed(missing="root")
    model = om.MetricPrivacy(epsilon=100.0 / 4, mechanism=mechanism).fit(data)
    batch = model.mask_batch(data.frame)
    assert list(batch.columns) == list(data.frame.columns)
    assert batch["cost"].tolist() == data.frame["cost"].tolist()
    assert set(batch["age"]) <= set(range(0, 101, 5))
    record = model.mask_record({**data.frame.iloc[0].to_dict(), "age": None})
    assert record["age"] in range(0, 101, 5)
    assert record["symptom"] in data.quasi_identifiers["symptom"].public_domain(None).cells()
    assert model.mask_record(data.frame.iloc[0].to_dict(), epsilon=0.1)["size"] in ("S", "M", "L")
    with raises(MaskingError, column="sex"):
        model.mask_record({"symptom": "ache"})
    with raises(MaskingError, column="name"):
        model.mask_record({**data.frame.iloc[0].to_dict(), "name": "Ada"})


def test_a_stream_takes_no_list_of_budgets():
    model = om.MetricPrivacy(1.0).fit(symptoms())
    with raises(MaskingError, parameter="epsilon"):
        model.mask_record({"symptom": "ache"}, epsilon=[1.0])


def test_a_stream_follows_the_same_probabilities():
    data = symptoms(["rash"] * 20_000)
    method = om.MetricPrivacy(epsilon=3.0)
    expected = method.transitions(data).factors[0].rows(np.array([0]))[0]
    for released in (method.mask(data).frame, method.fit(data).mask_batch(data.frame)):
        cells = data.quasi_identifiers["symptom"].public_domain(None).cells()
        shares = [np.mean(released["symptom"] == cell) for cell in cells]
        np.testing.assert_allclose(shares, expected, atol=0.02)


def test_the_informed_intruder_stays_below_the_bound():
    """The posterior odds of any two originals change at most by e^ε, whatever the intruder knows."""
    data = symptoms(["ache"] * 30 + ["rash"] * 10)
    method = om.MetricPrivacy(epsilon=1.0)
    rows = method.transitions(data).factors[0].rows(np.array([0, 1]))
    assert np.log(rows[0] / rows[1]).max() <= 1.0
    found = om.attack(data, method.mask(data)).to_frame()
    recovered = found.filter((pl.col("intruder") == "method") & (pl.col("learns") == "values"))["percent"].item()
    assert recovered <= 100 * certainty(1.0, 0.75) + 1e-9


def test_plans_can_be_repeated_for_attacks():
    data, method = symptoms(), om.MetricPrivacy(epsilon=1.0)
    plans = method.prepare_plans(data)
    rng = np.random.default_rng(0)
    assert plans(rng).counts().show(99) != plans(rng).counts().show(99)


def test_a_release_can_be_evaluated_from_a_file(tmp_path):
    data = mixed()
    result = om.MetricPrivacy(epsilon=20.0).mask(data)
    written = result.write(tmp_path / "masked.csv")
    score = om.evaluate(data, om.read_table(written.path), rows=written.rows)
    assert score.srl == om.evaluate(data, result).srl
    assert score.semantic_loss == pytest.approx(om.evaluate(data, result).semantic_loss)


def test_a_large_epsilon_keeps_nearly_all():
    data = symptoms()
    result = om.MetricPrivacy(epsilon=32.0, mechanism="permute_and_flip").mask(data)
    assert om.evaluate(data, result).semantic_loss < 0.05
    assert exp(-16 * 0.4) < 0.01
