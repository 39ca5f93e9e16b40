"""The intruder who knows more columns: the literal definition, hand-worked cases, and Adult."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.evaluation.attacks.columns import ReleasedColumns, know_columns
from ontomask.evaluation.linkage import link
from ontomask.evaluation.pairing import Pairing
from ontomask.evaluation.reading import read_masked
from ontomask.examples.adult import adult_data
from ontomask.masking.whole_rows import count_whole_rows

from support import literal_intruders as literal
from support.scrambling import Scramble, distance_between
from support.tables import microdata, records_of

KEPT = ["town", "sex"]


@st.composite
def tables_with_kept_columns(draw):
    data = draw(microdata(least=2, kept=True))
    n = len(data)
    frame = data.frame.assign(
        town=draw(st.lists(st.sampled_from(["Ely", "Rye", None]), min_size=n, max_size=n)),
        sex=draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n)),
        who=draw(st.lists(st.integers(0, n), min_size=n, max_size=n)),
    )
    attributes = {name: column.kind for name, column in data.quasi_identifiers.items()}
    person = draw(st.sampled_from([None, "who"]))
    return om.Microdata(frame, attributes, identifiers=["who"], person=person, other=KEPT, missing="keep")


def know(data, masked):
    pairing = Pairing.of(data, masked)
    return know_columns(pairing, ReleasedColumns(data, masked), link(pairing))


# With little room records are compared stratum by stratum, and with little work an index is built.
@given(tables_with_kept_columns(), st.integers(0, 50), st.sampled_from([0, 9, 2**25]), st.sampled_from([0, 3, 2**20]))
@settings(max_examples=120)
def test_linkage_over_all_columns_is_that_of_the_definition(data, seed, room, worth):
    result = Scramble().mask(data, seed=seed)
    names = list(data.quasi_identifiers)
    distance, rows = distance_between(data), result.data.rows
    with pytest.MonkeyPatch.context() as patch:
        for module in ("linkage", "strata"):
            patch.setattr(f"ontomask.evaluation.{module}.ROOM", room)
        patch.setattr("ontomask.evaluation.strata._WORTH_INDEX", worth)
        by_masked, by_all = know(data, result.data)
    original, masked = records_of(data.frame, names), [None] * len(data)
    for row, record in zip(rows, records_of(result.frame, names), strict=True):
        masked[row] = record
    persons = None if data.persons is None else data.persons[rows].tolist()

    def literally(kept):
        cells = records_of(data.frame, kept)
        released = [cells[row] if masked[row] is not None else None for row in range(len(data))]
        risks = literal.link_by_columns(original, masked, cells, released, distance)
        sizes = literal.group_sizes([masked[row] + cells[row] for row in rows], persons)
        percent = 100 * sum(size == 1 for size in sizes) / len(sizes) if sizes else 0
        return risks, min(sizes, default=0), percent, 100 * sum(risks) / len(risks)

    risks, k, uniques, linked = literally(KEPT)
    np.testing.assert_allclose(by_all.risk, risks, atol=1e-12)
    assert (by_all.k, by_all.uniques, by_all.linked) == (k, pytest.approx(uniques), pytest.approx(linked))
    if len(rows):
        for name, other in zip(KEPT, KEPT[::-1], strict=True):
            share = by_all.shares[name]
            alone, without = literally([name]), literally([other])
            assert (share.k_alone, share.uniques_alone, share.linked_alone) == pytest.approx(alone[1:])
            assert (share.k_without, share.uniques_without, share.linked_without) == pytest.approx(without[1:])
    np.testing.assert_allclose(
        by_masked.risk, literal.link_by_columns(original, masked, *[[()] * len(data)] * 2, distance)
    )


def test_a_kept_column_tells_apart_what_masking_made_equal():
    frame = pd.DataFrame({"age": [30, 32, 40, 42], "town": ["Ely", "Rye", "Ely", "Ely"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, other=["town"])
    score = om.evaluate(data, om.Microaggregation(k=2).mask(data))
    assert (score.k, score.srl) == (2, 50)
    # 30 and 32 are released as 31 in different towns; 40 and 42 as 41 in one.
    assert (score.all_columns.k, score.all_columns.uniques, score.all_columns.linked) == (1, 50, 75)
    share = score.all_columns.shares["town"]
    assert (share.k_alone, share.linked_alone, share.k_without, share.linked_without) == (1, 75, 2, 50)


def test_an_identifier_that_another_tool_left_in_is_known():
    frame = pd.DataFrame({"name": list("abcd"), "age": [30, 32, 40, 42]})
    data = om.Microdata(frame, {"age": om.Numeric()}, identifiers=["name"])
    masked = pd.DataFrame({"name": list("abcd"), "age": [31, 31, 41, 41]})
    assert om.evaluate(data, masked).all_columns.linked == 100
    # As the key of the comparison it is not released.
    score = om.evaluate(data, masked, key="name")
    assert (score.all_columns.kept, score.all_columns.linked) == ((), 50)
    assert any("name" in note for note in score.notes)


def test_columns_that_another_tool_removed_are_not_known():
    frame = pd.DataFrame({"age": [30, 32, 40, 42], "town": ["Ely", "Rye", "Ely", "Ely"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, other=["town"])
    score = om.evaluate(data, pd.DataFrame({"age": [31, 31, 41, 41]}))
    assert (score.all_columns.columns, score.all_columns.linked) == (("age",), 50)


def test_a_kept_cell_that_another_tool_changed_leads_astray():
    frame = pd.DataFrame({"age": [30, 32, 40], "town": ["Ely", "Rye", "Ely"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, other=["town"])
    masked, _ = read_masked(data, pd.DataFrame({"age": [30, 32, 40], "town": ["Ely", "Ely", "Ely"]}))
    # The second row is looked for in Rye, where nothing was released.
    assert know(data, masked)[1].risk.tolist() == [1, 0, 1]


def test_the_census_of_the_first_demo():
    data = adult_data("occupation", "native-country", numeric=["age"], confidential=["salary-class"])
    result = om.Microaggregation(5, variant="sa_mdav").mask(data)
    by_masked, by_all = know(data, result.data)
    assert (by_masked.k, by_masked.linked) == (5, pytest.approx(3.48, abs=0.1))
    assert (by_all.k, by_all.uniques) == (1, pytest.approx(45.3, abs=0.1))
    assert by_all.linked == pytest.approx(58.7, abs=0.1)
    assert all(share.linked_without < by_all.linked for share in by_all.shares.values())
    assert any("45.3 % of the released rows are unique" in note for note in result.notes)


def test_kept_cells_differ_by_the_letter_unless_another_tool_changed_them():
    frame = pd.DataFrame({"age": [30] * 4, "town": ["Ely", "Ely ", "Ely", "Ely"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, other=["town"])
    result = om.Microaggregation(k=2).mask(data, seed=0)
    found = om.attack(data, result).all_columns
    assert (found.k, found.uniques, found.linked) == (1, 25.0, pytest.approx(50))
    assert found.k == count_whole_rows(data, result.data).k
    stripped = om.attack(data, result.frame.assign(town="Ely")).all_columns
    assert (stripped.k, stripped.linked) == (4, 25.0)


@settings(max_examples=30)
@given(tables_with_kept_columns(), st.integers(0, 5))
def test_masking_and_evaluation_count_the_same_rows(data, seed):
    masked = Scramble().mask(data, seed=seed).data
    if len(masked):
        assert om.attack(data, masked).all_columns.k == count_whole_rows(data, masked).k
