"""One suite for all kinds of column. A new kind needs an example in `EXAMPLES`."""

from __future__ import annotations

import pickle
from typing import get_args

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.job import settings
from ontomask.kinds import KINDS, Kind

SYMPTOMS = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
# By the name of the kind: a kind, cells that it can hold, and one that it cannot.
EXAMPLES: dict[str, tuple[Kind, list[object], object]] = {
    "nominal": (om.Nominal(SYMPTOMS), ["ache", "rash", "ache", "colic", "pain", "rash"], "fracture"),
    "numeric": (om.Numeric(), [3, 1, 4, 1, 5, 9], "many"),
    "ordinal": (om.Ordinal(["low", "mid", "high"]), ["mid", "low", "high", "high", "low", "mid"], "medium"),
}

every_kind = pytest.mark.parametrize("name", KINDS)


def example(name):
    assert name in EXAMPLES, f"the kind {name!r} has no example: add one to EXAMPLES in tests/kinds/test_every_kind.py"
    return EXAMPLES[name]


def data_of(name, **options):
    kind, cells, _ = example(name)
    return om.Microdata(pd.DataFrame({"x": cells}), {"x": kind}, **options)


@every_kind
def test_a_kind_is_public_and_known_to_jobs(name):
    kind = KINDS[name]
    assert kind.name == name
    assert type(example(name)[0]) is kind
    assert getattr(om, kind.__name__) is kind
    assert name in get_args(settings.Kind), f"add {name!r} to Kind in ontomask/job/settings.py"
    assert kind.values_in_words
    assert set(kind.option_names(required=True)) <= set(kind.option_names())


@every_kind
def test_distances_are_symmetric_and_within_0_and_1(name):
    column = data_of(name).quasi_identifiers["x"]
    points = column.all_points
    matrix = column.space.matrix(points, points)
    np.testing.assert_allclose(matrix, matrix.T)
    assert (np.diag(matrix) == 0).all()
    assert matrix.min() >= 0
    assert matrix.max() <= 1
    np.testing.assert_allclose(
        column.space.pairs(points, points[::-1]), matrix[np.arange(len(points)), ::-1].diagonal()
    )


@every_kind
def test_points_survive_a_file_and_a_release(name):
    column = data_of(name).quasi_identifiers["x"]
    points = column.all_points
    assert column.points_of_keys([column.key(point) for point in points]).tolist() == points.tolist()
    release = column.release(column.safe_spellings(None, 10))
    cells = [release.cell(point) for point in points]
    assert release.points(cells).tolist() == release.released(points).tolist()
    assert [release.find(str(cell)) for cell in cells] == release.released(points).tolist()


@every_kind
def test_the_centroid_of_one_value_is_that_value(name):
    space = data_of(name).quasi_identifiers["x"].space
    for point in data_of(name).quasi_identifiers["x"].all_points:
        one = np.array([point])
        assert space.pairs(one, np.array([space.centroid(one, np.array([3]))]))[0] == 0


@every_kind
def test_a_cell_of_another_kind_is_an_error_with_its_column(name):
    kind, cells, wrong = example(name)
    assert kind.mismatches([str(wrong), str(cells[0])]) in ([str(wrong)], [])
    frame = pd.DataFrame({"x": [*map(str, cells), wrong]})
    with pytest.raises((TableError, om.MappingError)) as caught:
        om.Microdata(frame, {"x": kind})
    assert (caught.value.column, caught.value.values) == ("x", (wrong,))


@every_kind
def test_missing_cells_follow_the_policy(name):
    kind, cells, _ = example(name)
    frame = pd.DataFrame({"x": [*map(str, cells), None]})
    assert len(om.Microdata(frame, {"x": kind}, missing="drop")) == len(cells)
    kept = om.Microdata(frame, {"x": kind}, missing="keep")
    assert kept.quasi_identifiers["x"].kept.sum() == 1
    with pytest.raises((TableError, om.MappingError)):
        om.Microdata(frame, {"x": kind})


@every_kind
@pytest.mark.parametrize("method", [om.Microaggregation(2), om.Recoding(2), om.PRAM(), om.RankSwapping(2)], ids=repr)
def test_masked_columns_are_read_back_and_evaluated(name, method):
    data = data_of(name)
    result = method.mask(data, seed=1)
    assert om.evaluate(data, result.frame).sse == pytest.approx(om.evaluate(data, result).sse)


@every_kind
def test_values_do_not_show_in_reprs(name):
    kind, cells, _ = example(name)
    column = data_of(name).quasi_identifiers["x"]
    if isinstance(cells[0], str):
        assert not any(str(cell) in repr(column) + repr(kind) for cell in cells)
    assert repr(pickle.loads(pickle.dumps(column))) == repr(column)
