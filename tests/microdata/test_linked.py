"""Linked columns: a follower says nothing that its leader does not say, and no released pair is new."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import JobError, MaskingError, TableError

from support.families import PUBLIC, all_examples

EDGES = [("ache", "pain"), ("colic", "pain"), ("lumbago", "ache"), ("migraine", "ache")]
EDGES += [("pain", "symptom"), ("inflammation", "symptom"), ("gastritis", "inflammation")]
SYMPTOMS = om.Nominal(om.Taxonomy.from_edges(EDGES), domain="symptom")
VALUES = ["ache", "colic", "lumbago", "migraine", "gastritis"]
LABELS = {value: f"label of {value}" for value in VALUES}

METHODS = [method for method in all_examples() if type(method).__name__ not in PUBLIC]


def visits(records=120):
    rng = np.random.default_rng(5)
    now, then = ([VALUES[i] for i in rng.choice(5, records, p=[0.4, 0.3, 0.2, 0.07, 0.03])] for _ in range(2))
    return pd.DataFrame({"now": now, "label": [LABELS[value] for value in now], "then": then, "cost": range(records)})


def roles(frame, **options):
    options = {"linked": [["now", "label"]], "confidential": ["cost"]} | options
    return om.Microdata(frame, {"now": SYMPTOMS, "then": SYMPTOMS}, **options)


def literal_companions(frame, least):
    """By value its most frequent label, where enough records have it."""
    pairs = Counter(zip(frame["now"], frame["label"], strict=True))
    found = {}
    for (value, label), _ in sorted(pairs.items(), key=lambda pair: (-pair[1], str(pair[0][1]))):
        found.setdefault(value, label if pairs[value, label] >= least else None)
    return found


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_released_pair_occurs_often_in_the_original(method):
    frame = visits()
    result = method.mask(roles(frame), seed=1)
    assert list(result.frame.columns) == list(frame.columns)
    expected = literal_companions(frame, 10)
    for now, label in zip(result.frame["now"], result.frame["label"], strict=True):
        assert (None if pd.isna(label) else label) == expected.get(now)
    empty = int(result.frame["label"].isna().sum())
    assert [note.values["records"] for note in result.notes if note.code == "linked-empty"] == (
        [empty] if empty else []
    )


def test_k_is_the_least_number_of_holders():
    frame = visits()
    result = om.Suppression(k=40).mask(
        om.Microdata(frame, {"now": SYMPTOMS}, linked=[["now", "label"]], identifiers=["then", "cost"])
    )
    shown = set(result.frame["label"].dropna())
    assert shown == {label for value, label in literal_companions(frame, 40).items() if label is not None}


def test_persons_are_counted():
    frame = visits().assign(who=lambda f: [value if value != "ache" else str(i) for i, value in enumerate(f["now"])])
    result = om.PRAM(stay=0.9).mask(roles(frame, person="who"), seed=0)
    assert set(result.frame["label"].dropna()) == {LABELS["ache"]}, "one person has all records of the other values"


def test_contradictions_are_noted_and_the_most_frequent_companion_is_released():
    frame = visits()
    frame.loc[frame.index[frame["now"] == "colic"][:3], "label"] = "another"
    data = roles(frame)
    (note,) = [note for note in data.notes if note.code == "linked-conflict"]
    assert (note.values["values"], note.values["leader"], note.values["follower"]) == (1, "now", "label")
    assert "another" not in set(om.PRAM().mask(data, seed=0).frame["label"])


def test_kept_cells_have_companions_too():
    frame = visits()
    frame.loc[:14, ["now", "label"]] = [[None, "unknown"]] * 15
    result = om.PRAM(stay=0.5).mask(roles(frame, missing="keep"), seed=0)
    assert (result.frame["label"] == "unknown").tolist() == frame["now"].isna().tolist()


def test_several_followers_and_kinds_of_frame():
    frame = visits().assign(number=lambda f: f["now"].map({value: i for i, value in enumerate(VALUES)}))
    for kind in (pd.DataFrame, pl.DataFrame):
        data = roles(kind(frame.to_dict("list")), linked=[["now", "label", "number"]])
        released = om.Microaggregation(k=3).mask(data, seed=0).frame
        numbers, labels = (released[name].to_list() for name in ("number", "label"))
        for number, label in zip(numbers, labels, strict=True):
            if not pd.isna(number):
                assert label == LABELS[VALUES[int(number)]]


def test_a_follower_adds_nothing_for_intruders():
    frame = visits()
    data = roles(frame)
    result = om.Microaggregation(k=3).mask(data, seed=0)
    assert om.evaluate(data, result).all_columns.kept == ()
    # Another tool kept the labels: they give the codes away.
    theirs = result.frame.assign(label=frame["label"])
    found = om.evaluate(data, theirs).all_columns
    assert found.kept == ("label",)
    assert found.linked > om.evaluate(data, result).all_columns.linked


@pytest.mark.parametrize(
    ("options", "column"),
    [
        ({"linked": [["cost", "label"]], "confidential": ["cost"]}, "cost"),
        ({"linked": [["now", "label"], ["then", "label"]]}, "label"),
        ({"linked": [["now"]]}, None),
        ({"linked": ["now"]}, None),
        ({"linked": [["now", "label"]], "confidential": ["cost", "label"]}, "label"),
        ({"linked": [["now", "label", "nothing"]]}, "nothing"),
    ],
)
def test_wrong_links(options, column):
    with pytest.raises(TableError) as caught:
        roles(visits(), **options)
    assert caught.value.column == column


def test_streams_have_no_linked_columns():
    with pytest.raises(MaskingError) as caught:
        om.UncorrelatedNoise().fit(roles(visits()))
    assert caught.value.parameter == "linked"


JOB = """
input.path = "data.csv"
output.masked = "masked.csv"
method = { name = "Microaggregation", k = 3 }
[columns]
now = { role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv" }
label = { role = "linked", to = "now" }
then = { role = "drop" }
cost = { role = "confidential" }
"""


def test_in_a_job(tmp_path):
    visits().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "links.csv").write_text("\n".join(["child,parent", *(f"{a},{b}" for a, b in EDGES)]) + "\n")
    (tmp_path / "job.toml").write_text(JOB)
    run = om.Job.from_toml(tmp_path / "job.toml").run()
    pairs = set(zip(run.result.frame["now"], run.result.frame["label"], strict=True))
    assert all(label in (None, "", LABELS.get(now)) for now, label in pairs)
    for new in ('{ role = "linked" }', '{ role = "other", to = "now" }', '{ role = "linked", to = "cost" }'):
        (tmp_path / "job.toml").write_text(JOB.replace('{ role = "linked", to = "now" }', new))
        with pytest.raises(JobError) as caught:
            om.Job.from_toml(tmp_path / "job.toml")
        assert caught.value.key == "columns.label.to"
