"""Groups from another column of the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import TableError

from support.errors import raises

MAJOR = {"nurse": "health", "doctor": "health", "cook": "service", "waiter": "service", "judge": "law"}


def table(jobs, majors=None, **columns):
    return pd.DataFrame({"job": jobs, "major": majors or [MAJOR[job] for job in jobs], **columns})


def groups(frame, **options):
    data = om.Microdata(frame, {"job": om.Category(under="major")}, **({"other": ["major"]} | options))
    domain = data.quasi_identifiers["job"].domain
    return {group: set(domain.children(group)) for group in domain.ids if domain.children(group)}


JOBS = ["nurse", "doctor", "cook", "waiter"] * 6


def test_each_value_lies_under_the_one_that_it_occurs_with():
    assert groups(table(JOBS)) == {
        "*": {"health", "service"},
        "health": {"nurse", "doctor"},
        "service": {"cook", "waiter"},
    }


def test_the_other_column_may_be_masked():
    both = om.Microdata(table(JOBS), {"job": om.Category(under="major"), "major": om.Category()})
    assert "health" in both.quasi_identifiers["job"].domain


@pytest.mark.parametrize("role", ["identifiers", "confidential"])
def test_values_that_must_stay_hidden_name_no_groups(role):
    with raises(TableError, column="job", parameter="under"):
        groups(table(JOBS), **{"other": [], role: ["major"]})


@pytest.mark.parametrize("under", ["job", "no such column"])
def test_another_column_must_be_there(under):
    with raises(TableError, column="job", parameter="under"):
        om.Microdata(table(JOBS), {"job": om.Category(under=under)}, other=["major"])


def test_a_value_with_several_groups_is_an_error_that_carries_it():
    frame = table([*JOBS, "cook", "nurse"], [*(MAJOR[job] for job in JOBS), "law", "law"])
    with raises(TableError, column="job", parameter="under") as caught:
        groups(frame)
    assert sorted(caught.value.values) == ["cook", "nurse"]
    assert "cook" not in str(caught.value)
    assert "2 of 4" in str(caught.value)


def test_the_name_of_a_small_group_is_not_used():
    frame = table([*JOBS, *["judge"] * 9])
    found = groups(frame)
    assert "law" not in found
    assert found["*"] == {"health", "service", "judge"}
    assert "law" in groups(table([*JOBS, *["judge"] * 10]))


def test_the_size_of_a_group_is_its_number_of_persons():
    jobs = [*JOBS, *["judge"] * 10]
    who = [*range(len(JOBS)), *[0] * 10]
    assert "law" not in groups(table(jobs, who=who), person="who")
    assert "law" in groups(table(jobs, who=list(range(len(jobs)))), person="who")


def test_missing_cells_have_no_group():
    majors = [MAJOR[job] for job in JOBS]
    majors[1] = majors[2] = None
    majors[3] = "?"
    assert groups(table(JOBS, majors), missing_tokens=["?"]) == groups(table(JOBS))
    jobs = [*JOBS, None]
    assert groups(table(jobs, [*(MAJOR[job] for job in JOBS), "law"]), missing="keep") == groups(table(JOBS))


def test_a_group_is_not_taken_for_a_value_of_another_group():
    """The job "service" is one of the army; the major "service" has other jobs."""
    jobs = [*JOBS, *["service"] * 12]
    majors = [*(MAJOR[job] for job in JOBS), *["army"] * 12]
    frame = table(jobs, majors)
    assert groups(frame)["service (major)"] == {"cook", "waiter"}
    assert groups(frame)["army"] == {"service"}
    data = om.Microdata(frame, {"job": om.Category(under="major")}, other=["major"])
    result = om.Generalisation(10).mask(data, seed=0)
    assert set(result.frame["job"]) == {"health", "service (major)", "service"}
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse


def test_a_value_called_like_its_group_is_the_group():
    jobs = [*JOBS, *["law"] * 6, *["judge"] * 6]
    found = groups(table(jobs, [MAJOR.get(job, job) for job in jobs]))
    assert found["law"] == {"judge"}


def test_groups_do_not_depend_on_the_order_of_records():
    frame = table(JOBS)
    mixed = frame.sample(frac=1, random_state=np.random.RandomState(1)).reset_index(drop=True)
    ids = [
        om.Microdata(f, {"job": om.Category(under="major")}, other=["major"]).quasi_identifiers["job"].domain.ids
        for f in (frame, mixed)
    ]
    assert ids[0] == ids[1]


def test_groups_are_those_of_the_records_that_remain():
    frame = table([*JOBS, *["judge"] * 12], age=[1.0] * len(JOBS) + [None] * 12)
    kinds = {"job": om.Category(under="major"), "age": om.Numeric()}
    data = om.Microdata(frame, kinds, other=["major"], missing="drop")
    assert "law" not in data.quasi_identifiers["job"].domain
    assert "judge" not in data.quasi_identifiers["job"].domain


def test_values_in_groups_of_the_data_count_as_rare():
    data = om.Microdata(table([*JOBS, "nurse"]), {"job": om.Category(under="major")}, other=["major"])
    assert [note.values["number"] for note in data.notes if note.code == "rare-categories"] == [4]
