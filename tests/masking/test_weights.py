"""Sampling weights: averaged in groups or kept, and the risk in the population."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import MaskingError, TableError

from support.literal_population import individual_risk


def survey(records=60):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, records),
            "weight": rng.uniform(5, 500, records).round(2),
            "year": [1, 2] * (records // 2),
            "income": range(records),
        }
    )


def roles(frame, **options):
    options = {"weights": "weight", "other": ["year"], "confidential": ["income"]} | options
    return om.Microdata(frame, {"age": om.Numeric()}, **options)


def test_a_group_has_its_mean_weight():
    frame = survey()
    data = roles(frame)
    result = om.Microaggregation(k=4).mask(data, seed=0)
    assert list(result.frame.columns) == list(frame.columns)
    released = result.frame.groupby("age")["weight"]
    assert released.nunique().max() == 1
    expected = frame["weight"].groupby(result.frame["age"].to_numpy()).sum()
    assert released.sum().to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-5)
    assert data.other == ("year",)
    assert not [note for note in result.notes if note.code.startswith("weights")]


def test_groups_are_those_of_strata_and_of_pseudonyms():
    frame = survey().assign(who=np.arange(60) // 2, year=np.arange(60) // 30)
    by_year = om.Microaggregation(k=4, by=["year"]).mask(roles(frame, identifiers=["who"]), seed=0)
    sums = by_year.frame.groupby(["age", "year"])["weight"].sum()
    expected = frame["weight"].groupby([by_year.frame["age"].to_numpy(), frame["year"].to_numpy()]).sum()
    assert sums.to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-5)
    data = roles(frame, person="who", pseudonyms=True)
    result = om.Microaggregation(k=3).mask(data, seed=0)
    groups = result.data.groups
    assert pd.Series(result.frame["weight"]).groupby(groups).nunique().max() == 1


def test_weights_can_be_kept_and_count_as_known():
    frame = survey()
    data = roles(frame, average_weights=False)
    result = om.Microaggregation(k=4).mask(data, seed=0)
    assert result.frame["weight"].tolist() == frame["weight"].tolist()
    (note,) = [note for note in result.notes if note.code == "weights-kept"]
    assert note.values["percent"] == 100 * frame["weight"].map(frame["weight"].value_counts()).eq(1).mean()
    score = om.evaluate(data, result)
    assert score.all_columns.kept == ("year", "weight")
    assert score.all_columns.linked == 100
    assert om.PRAM().mask(data).frame["weight"].tolist() == frame["weight"].tolist()


@pytest.mark.parametrize("method", [om.PRAM(), om.RankSwapping(k=3), om.HeerResampling(samples=2)], ids=repr)
def test_methods_without_groups_refuse_to_average(method):
    with pytest.raises(MaskingError) as caught:
        method.mask(roles(survey()))
    assert (caught.value.parameter, caught.value.column) == ("average_weights", "weight")


@pytest.mark.parametrize("method", [om.Suppression(k=3), om.Recoding(k=3), om.Suppression(k=60)], ids=repr)
def test_records_may_be_suppressed(method):
    frame = survey()
    result = method.mask(roles(frame), seed=0)
    assert len(result.frame) == len(result.data.rows)
    before = frame["weight"].to_numpy()[result.data.rows].sum()
    assert result.frame["weight"].astype(float).sum() == pytest.approx(before, rel=1e-5)


@pytest.mark.parametrize("kind", ["text", "int", "polars", "pyarrow"])
def test_any_column_of_numbers_can_hold_weights(kind):
    frame = survey()
    if kind == "int":
        frame["weight"] = frame["weight"].astype(int) + 1
    elif kind == "text":
        frame["weight"] = frame["weight"].astype(str)
    else:
        frame = pl.from_pandas(frame) if kind == "polars" else pl.from_pandas(frame).to_arrow()
    released = om.Microaggregation(k=4).mask(roles(frame)).frame
    cells = released["weight"].to_pylist() if kind == "pyarrow" else list(released["weight"])
    assert {type(cell) for cell in cells} <= ({str} if kind == "text" else {float, np.float64})
    assert len(set(map(float, cells))) <= 15


@pytest.mark.parametrize("wrong", [0, -3.5, None, "heavy", float("inf")])
def test_weights_are_positive_numbers(wrong):
    frame = survey().astype({"weight": object})
    frame.loc[[4, 7], "weight"] = [wrong, wrong]
    with pytest.raises(TableError) as caught:
        roles(frame)
    assert (caught.value.column, caught.value.parameter) == ("weight", "weights")
    assert len(caught.value.values) == 1
    assert "2 records" in str(caught.value)


def test_weights_have_one_role():
    for options in ({"other": ["weight", "year"]}, {"weights": "nothing"}):
        with pytest.raises(TableError):
            roles(survey(), **options)


def test_population_risk():
    frame = survey()
    data = roles(frame)
    result = om.Microaggregation(k=4).mask(data, seed=0)
    score = om.evaluate(data, result)
    expected = 0.0
    for age in set(result.frame["age"]):
        inside = (result.frame["age"] == age).to_numpy()
        expected += inside.sum() * individual_risk(int(inside.sum()), float(frame["weight"][inside].sum()))
    assert score.population_risk.expected == pytest.approx(expected, rel=1e-6)
    assert score.population_risk.average < score.population_risk_before.average
    by_name = {m.name: m for m in score.measures}
    assert by_name["population risk"].value == score.population_risk.average
    assert by_name["highest population risk"].before == score.population_risk_before.highest
    plain = om.evaluate(
        roles(frame, weights=None, identifiers=["weight"]),
        om.Microaggregation(k=4).mask(roles(frame, weights=None, identifiers=["weight"])),
    )
    assert plain.population_risk is None
    assert "population risk" not in {m.name for m in plain.measures}
    assert "population_risk" in om.evaluate(data, om.Microaggregation(k=4).plan(data)).absent


def test_weights_that_say_nothing_about_a_population():
    frame = survey()
    frame["weight"] /= frame["weight"].sum()
    data = roles(frame)
    assert [note.code for note in data.notes] == ["weights-too-small"]
    score = om.evaluate(data, om.Microaggregation(k=4).mask(data))
    assert score.population_risk.average == pytest.approx(score.anonymity.average_risk)


JOB = """
input.path = "data.csv"
output = { masked = "masked.csv", report = "report.json" }
method = { name = "Microaggregation", k = 4 }
[columns]
age = { role = "quasi-identifier", kind = "numeric" }
weight = { role = "weight" }
year = { role = "other" }
income = { role = "confidential" }
"""


def test_in_a_job(tmp_path):
    survey().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "job.toml").write_text(JOB)
    job = om.Job.from_toml(tmp_path / "job.toml")
    run = job.run()
    assert run.score.population_risk.average > 0
    assert "population risk" in run.files["report"].read_text()
    assert run.result.frame.group_by("age").n_unique()["weight"].max() == 1
    assert job.evaluate(job.read(job.output)).population_risk.average == pytest.approx(
        run.score.population_risk.average
    )
    for old, new, key in (
        ('weight = { role = "weight" }', 'weight = { role = "other", average_weights = false }', "average_weights"),
        ('year = { role = "other" }', 'year = { role = "weight" }', "role"),
        ('weight = { role = "weight" }', 'weight = { role = "weight", kind = "numeric" }', "kind"),
    ):
        (tmp_path / "job.toml").write_text(JOB.replace(old, new))
        with pytest.raises(om.JobError) as caught:
            om.Job.from_toml(tmp_path / "job.toml")
        assert caught.value.key.endswith(key)
    kept = JOB.replace('role = "weight" }', 'role = "weight", average_weights = false }').replace("masked.csv", "m.csv")
    (tmp_path / "job.toml").write_text(kept.replace("report.json", "other.json"))
    assert om.Job.from_toml(tmp_path / "job.toml").run().result.frame["weight"].n_unique() > 50


def test_no_weight_of_a_single_person_is_released_where_only_records_are_protected():
    # Full-domain generalisation protects records. With pseudonyms, the sets of records may be those of one person.
    frame = survey().assign(who=np.arange(60) // 3)
    data = roles(frame, person="who", pseudonyms=True)
    result = om.Generalisation(k=5, mode="full_domain").mask(data, seed=0)
    assert result.guarantee.text.code == "persons-not-protected"
    assert result.frame.groupby("age")["weight"].nunique().max() == 1
    assert not set(result.frame["weight"]) & set(frame["weight"])
