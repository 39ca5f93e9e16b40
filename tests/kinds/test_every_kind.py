"""One suite for all kinds of column. A new kind needs an example in `EXAMPLES`."""

from __future__ import annotations

import pickle
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules
from typing import get_args

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask import kinds
from ontomask.errors import TableError
from ontomask.job import settings
from ontomask.kinds import KINDS, Kind

SYMPTOMS = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
# By the name of the kind: a kind, cells that it can hold, and one that it cannot.
EXAMPLES: dict[str, tuple[Kind, list[object], object]] = {
    "nominal": (om.Nominal(SYMPTOMS), ["ache", "rash", "ache", "colic", "pain", "rash"], "fracture"),
    "concept_set": (
        om.ConceptSet(SYMPTOMS),
        ["ache;rash", "rash", "rash; ache", "colic;pain;rash", "pain", "rash"],
        "fracture",
    ),
    "category": (
        om.Category({"couple": ["married", "partners"], "alone": ["widowed"]}),
        ["married", "partners", "widowed", "married", "single", "widowed"],
        "*",
    ),
    "prefix": (om.Prefix([2]), ["47906", "47907", "86201", "47906", "47304", "86202"], "*"),
    "numeric": (om.Numeric(), [3, 1, 4, 1, 5, 9], "many"),
    "date": (
        om.Date(),
        ["2021-03-05", "2021-03-17", "2020-02-29", "2021-03-05", "2021-01-01", "2020-12-31"],
        "03/04/21",
    ),
    "ordinal": (om.Ordinal(["low", "mid", "high"]), ["mid", "low", "high", "high", "low", "mid"], "medium"),
}

METHODS = [
    om.Microaggregation(2),
    om.Microaggregation(2, centroid="lcs"),
    om.Recoding(2),
    om.PRAM(),
    om.RankSwapping(2),
    om.Generalisation(2),
    om.Generalisation(2, mode="full_domain"),
    om.Suppression(2, mode="cells"),
]

every_kind = pytest.mark.parametrize("name", KINDS)


def example(name):
    assert name in EXAMPLES, f"the kind {name!r} has no example: add one to EXAMPLES in tests/kinds/test_every_kind.py"
    return EXAMPLES[name]


def data_of(name, **options):
    kind, cells, _ = example(name)
    return om.Microdata(pd.DataFrame({"x": cells}), {"x": kind}, **options)


def test_every_kind_of_the_package_is_registered():
    found = set()
    for info in iter_modules(kinds.__path__, f"{kinds.__name__}."):
        module = import_module(info.name)
        named = [vars(module)[name] for name in module.__all__]
        found |= {cls for cls in named if isinstance(cls, type) and issubclass(cls, Kind) and not isabstract(cls)}
    forgotten = {cls.__name__ for cls in found - set(KINDS.values())} - {"CategoryConcepts"}
    assert not forgotten, f"add {forgotten} to KINDS in ontomask/kinds/__init__.py"


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
def test_distances_are_symmetric_and_at_most_the_longest(name):
    column = data_of(name).quasi_identifiers["x"]
    points = column.all_points
    matrix = column.space.matrix(points, points)
    np.testing.assert_allclose(matrix, matrix.T)
    assert (np.diag(matrix) == 0).all()
    assert matrix.min() >= 0
    assert matrix.max() <= column.space.longest
    assert column.space.longest == (1 if name not in ("numeric", "date") else 2)
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
def test_values_are_generalised_step_by_step_up_to_a_point_that_says_nothing(name):
    column = data_of(name).quasi_identifiers["x"]
    points = np.unique(column.point)
    found, release = column.generalisations(points), column.release(column.safe_spellings(None, 10))
    assert found.levels[0].tolist() == found.point[found.node].tolist() == points.tolist()
    assert (found.levels[-1] == column.anything).all()
    assert found.point[0] == column.anything
    for level in found.levels:
        assert release.points(release.cells(level)).tolist() == level.tolist()
        assert column.points_of_keys([column.key(point) for point in level.tolist()]).tolist() == level.tolist()


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
@pytest.mark.parametrize("policy", ["root", "category"])
@pytest.mark.parametrize("which", ["missing", "unmapped"])
def test_missing_and_unmapped_cells_are_masked(name, policy, which, tmp_path):
    kind, cells, wrong = example(name)
    if (name, policy) == ("concept_set", "category"):
        pytest.skip("a set of concepts has no such value; an error says so")
    bad = ["-", None, "-", None] if which == "missing" else [wrong] * 4
    frame = pd.DataFrame({"x": [*map(str, cells), *map(str, cells), *bad]}, dtype=object)
    tokens = ["-"] if which == "missing" else []
    data = om.Microdata(frame, {"x": kind}, missing_tokens=tokens, **{which: policy})
    column = data.quasi_identifiers["x"]
    assert not column.kept.any()
    own = column.own[which].point if policy == "category" else column.anything
    assert (column.point[column.code][-4:] == own).all()
    others = column.all_points[column.all_points != own]
    if policy == "category":
        assert (column.space.matrix(np.array([own]), others) == 1).all()
        assert str(column.release({}).cell(own)) == ("-" if which == "missing" else "unmapped")
    assert column.points_of_keys([column.key(own)]).tolist() == [own]
    for method in METHODS:
        result = method.mask(data, seed=1)
        assert not result.frame["x"].isna().any()
        om.write_table(result.frame, tmp_path / "masked.csv", overwrite=True)
        score = om.evaluate(data, om.read_table(tmp_path / "masked.csv"), attacks=False)
        assert score.sse == pytest.approx(om.evaluate(data, result, attacks=False).sse)
        assert result.guarantee.k is None or score.k == result.guarantee.k >= 2


@every_kind
@pytest.mark.parametrize("method", METHODS, ids=repr)
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
