"""Columns without an ontology: distances, groups, released text, types of cells."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import MappingError, ReadError, TableError

from support.errors import note_codes, raises

STATUS = {"couple": ["married", "partners"], "alone": ["widowed", "divorced"], "ever": ["couple", "alone"]}
CELLS = ["married", "partners", "widowed", "divorced", "single"]


def column_of(cells, kind=None, **options):
    return om.Microdata(pd.DataFrame({"x": cells}), {"x": kind or om.Category()}, **options).quasi_identifiers["x"]


def distances(column, values):
    points = column.points_of_keys(values)
    return column.space.matrix(points, points).tolist()


# Distances


def test_without_groups_values_are_equal_or_different():
    column = column_of(["a", "b", "c"])
    assert distances(column, ["a", "b", "c"]) == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert column.space.mean(column.points_of_keys(["a", "b"]), np.array([2, 3])) == column.domain.code("b")


def test_values_of_one_group_are_half_as_far_apart():
    column = column_of(["a", "b", "c", "d"], om.Category({"g": ["a", "b"]}))
    assert distances(column, ["a", "b", "c", "g", "*"]) == [
        [0, 0.5, 1, 0.5, 1],
        [0.5, 0, 1, 0.5, 1],
        [1, 1, 0, 1, 1],
        [0.5, 0.5, 1, 0, 1],
        [1, 1, 1, 1, 0],
    ]


def test_groups_may_lie_in_groups():
    column = column_of(CELLS, om.Category(STATUS))
    assert distances(column, ["married", "partners", "widowed", "single"])[0] == [0, 1 / 3, 2 / 3, 1]


def test_the_centroid_is_a_value():
    column = column_of(CELLS * 3, om.Category(STATUS))
    points = column.all_points
    rng = np.random.default_rng(2)
    for _ in range(40):
        counts = rng.integers(1, 5, len(points))
        assert column.space.centroid(points, counts) in points


def test_a_weight_means_the_same_as_for_a_number():
    frame = pd.DataFrame({"sex": ["f", "m"], "age": [20, 60]})
    data = om.Microdata(frame, {"sex": om.Category(), "age": om.Numeric()})
    columns = data.quasi_identifiers.values()
    assert [column.space.matrix(column.point, column.point)[0, 1] for column in columns] == [1, 1]


def test_distances_span_the_values_that_are_there():
    """A group that holds all values is the top, as the least common subsumer is for concepts."""
    column = column_of(["married", "partners"], om.Category(STATUS))
    assert (column.domain.root, distances(column, ["married", "partners"])[0]) == ("couple", [0, 1])


def test_an_evaluation_under_another_distance_leaves_categories_as_they_are():
    data = om.Microdata(pd.DataFrame({"x": CELLS * 4}), {"x": om.Category(STATUS)})
    result = om.Microaggregation(3).mask(data, seed=0)
    assert om.evaluate(data, result, distance="lin").sse == om.evaluate(data, result).sse
    with raises(TableError, parameter="distance"):
        om.evaluate(data, result, distance={"x": "lin"})


# Groups


@pytest.mark.parametrize(
    "text",
    [
        "married;couple;ever\npartners;couple;ever\nwidowed;alone;ever\ndivorced;alone;ever\n",
        "value,group,supergroup\nmarried,couple,ever\npartners,couple,ever\nwidowed,alone,ever\ndivorced,alone,ever\n",
        "Value\tGroup\nmarried\tcouple\npartners\tcouple\nwidowed\talone\ndivorced\talone\ncouple\tever\nalone\tever\n",
    ],
)
def test_groups_from_a_file(write, text):
    path = write(text, "groups.csv")
    for given in (path, str(path)):
        assert om.Category(given).above == om.Category(STATUS).above


def test_groups_from_a_hierarchy():
    rows = [("married", "couple", "ever", "*"), ("widowed", "alone", "ever", "*"), ("single", "single", "single", "*")]
    column = column_of(["married", "widowed", "single"], om.Category(om.Hierarchy.from_rows(rows)))
    assert (column.domain.root, column.domain.children("*")) == ("*", ("ever", "single"))
    # With a top of its own, the hierarchy's top is still that of all values.
    column = column_of(["married", "widowed", "single"], om.Category(om.Hierarchy.from_rows(rows), top="any"))
    assert (column.domain.root, column.release({}).cell(0)) == ("*", "any")


def test_the_order_of_records_does_not_matter():
    first, second = (column_of(cells, om.Category(STATUS)) for cells in (CELLS, CELLS[::-1]))
    assert first.domain.ids == second.domain.ids


def test_a_value_with_the_name_of_a_group_means_the_group():
    column = column_of(["married", "couple", "single"], om.Category(STATUS))
    assert distances(column, ["married", "couple", "single"])[0] == [0, 1 / 3, 1]
    assert column.release({}).find("couple") == column.domain.code("couple")


@pytest.mark.parametrize(
    ("groups", "values"),
    [
        ({"a": ["x"], "b": ["x"]}, ("x",)),
        ({"a": ["b"], "b": ["a"]}, ("b", "a")),
        (om.Hierarchy(rows=(("x", "a"), ("x", "b"))), ("x",)),
        ({"a": [""]}, ()),
        ({"a": [None]}, ()),
        ({" ": ["x"]}, ()),
        ({"a": "xyz"}, ()),
        ({"a": [["x"]]}, ()),
        (["x", "y"], ()),
        (7, ()),
    ],
)
def test_groups_that_are_none(groups, values):
    with raises(TableError, parameter="groups", values=values):
        om.Category(groups)


def test_a_file_with_a_value_in_two_groups_is_an_error_with_its_line(write):
    path = write("x,a\ny,a\nx,b\n", "groups.csv")
    with raises(ReadError, path=path, line=3, values=("x",)):
        om.Category(path)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"groups": {"a": ["x"]}, "under": "y"}, "under"),
        ({"under": 3}, "under"),
        ({"weight": 0}, "weight"),
        ({"top": ""}, "top"),
        ({"top": " any"}, "top"),
        ({"top": 3}, "top"),
    ],
)
def test_wrong_options(options, parameter):
    with raises(TableError, parameter=parameter):
        om.Category(**options)


# Cells


TYPES = [
    ([0, 1, 1, 0, 2], {0: [0], 1: [1, 2]}),
    ([0.0, 1.0, 1.0, 0.0, 2.0], {0: [0], 1: [1, 2]}),
    ([0.5, 1.5, 1.5, 0.5, 2.0], None),
    ([True, False, False, True, True], {"no": [False]}),
    ([dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 3, None),
    (["yes", "no", "no", "yes", "no"], None),
]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()])
@pytest.mark.parametrize(("cells", "groups"), TYPES)
def test_cells_of_any_type_keep_it(make, cells, groups):
    frame = make({"x": cells * 4})
    data = om.Microdata(frame, {"x": om.Category(groups and {str(name): values for name, values in groups.items()})})
    for method in (om.Microaggregation(2), om.PRAM(0.5), om.DataSwapping()):
        released = method.mask(data, seed=0).frame
        column, before = (nw_list(table) for table in (released, frame))
        assert set(column) <= set(before)
        assert {type(cell) for cell in column} <= {type(cell) for cell in before}


def nw_list(frame):
    values = frame["x"]
    return values.to_pylist() if hasattr(values, "to_pylist") else values.to_list()


@pytest.mark.parametrize("cells", [cells for cells, _ in TYPES])
def test_a_released_top_makes_the_column_text_that_can_be_read(cells, tmp_path):
    frame = pd.DataFrame({"x": [*cells * 4, cells[0]], "y": [*["a", "b"] * (2 * len(cells)), "c"]})
    data = om.Microdata(frame, {name: om.Category() for name in frame})
    result = om.Suppression(4, mode="cells").mask(data, seed=0)
    assert "*" in set(result.frame["x"]) | set(result.frame["y"])
    result.write(tmp_path / "masked.csv", order="as_is")
    for read in (result.frame, om.read_table(tmp_path / "masked.csv")):
        assert om.evaluate(data, read).sse == pytest.approx(om.evaluate(data, result).sse)


def test_numbers_in_a_file_are_read_back_with_their_decimals(tmp_path):
    data = om.Microdata(pl.DataFrame({"x": [1.0, 2.0, 2.5] * 4}), {"x": om.Category()})
    result = om.DataSwapping().mask(data, seed=0)
    om.write_table(result.frame, tmp_path / "masked.csv")
    assert (tmp_path / "masked.csv").read_text().splitlines()[1] in ("1.0", "2.0", "2.5")
    assert om.evaluate(data, om.read_table(tmp_path / "masked.csv")).sse == om.evaluate(data, result).sse


def test_texts_beside_numbers_are_refused():
    with raises(TableError, column="x"):
        column_of(["1", 2])


def test_blanks_around_a_value_are_not_released():
    data = om.Microdata(pd.DataFrame({"x": [" a", "a ", "b"] * 5}), {"x": om.Category()})
    assert len(data.quasi_identifiers["x"].all_points) == 2
    assert set(om.DataSwapping().mask(data, seed=0).frame["x"]) == {"a", "b"}


def test_case_and_punctuation_tell_values_apart():
    column = column_of(["a", "A", "a-b", "a b"])
    assert len(column.all_points) == 4
    release = column.release(column.safe_spellings(None, 10))
    assert [release.find(text) for text in ("a", "A", "a-b", "a b")] == column.points_of_keys(
        ["a", "A", "a-b", "a b"]
    ).tolist()


# The top


@pytest.mark.parametrize(("top", "value"), [(None, "*"), ("any", "any")])
def test_a_value_that_reads_like_the_top_follows_the_policy(top, value):
    cells, kind = ["a", "b", value], om.Category(top=top)
    with raises(MappingError, column="x", values=(value,)):
        column_of(cells, kind)
    assert column_of(cells, kind, unmapped="root").point.tolist()[2] == 0
    assert len(column_of(cells, kind, unmapped="drop").code) == 2
    if top is None:
        assert column_of(cells, kind, unmapped="keep").kept.tolist() == [False, False, True]
    else:
        with raises(TableError, column="x", parameter="top", values=(value,)):
            column_of(cells, kind, unmapped="keep")


def test_a_value_that_became_the_top_does_not_name_it():
    frame = pd.DataFrame({"x": pd.Series(["a", "b", "her\nwords"] * 4, dtype=object)})
    data = om.Microdata(frame, {"x": om.Category()}, unmapped="root")
    for method in (om.DataSwapping(), om.PRAM(0.5), om.Generalisation(2)):
        assert set(method.mask(data, seed=0).frame["x"]) == {"a", "b", "*"}


def test_a_group_called_like_the_top_is_the_top():
    kind = om.Category({"couple": ["married", "partners"], "*": ["couple", "single"]})
    column = column_of(CELLS, kind)
    assert set(column.domain.children("*")) == {"couple", "single", "widowed", "divorced"}
    assert column.mapping.taxonomy == "1 group"


def test_a_star_can_be_a_value_if_the_top_has_another_name():
    data = om.Microdata(pd.DataFrame({"x": ["*", "a"] * 4 + ["b", "c"]}), {"x": om.Category(top="anything")})
    result = om.Suppression(2, mode="cells").mask(data, seed=0)
    assert sorted(set(result.frame["x"])) == ["*", "a", "anything"]
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse == 2


@pytest.mark.parametrize("text", ["two\nlines", "lone \ud800"])
def test_values_that_files_cannot_hold(text):
    with raises(MappingError, column="x", values=(text,)) as caught:
        om.Microdata(pd.DataFrame({"x": pd.Series(["a", text], dtype=object)}), {"x": om.Category()})
    assert text not in str(caught.value)


# What is released, and what is told


def test_a_rare_value_is_released_by_a_method_without_a_guarantee_only():
    frame = pd.DataFrame({"x": ["a"] * 12 + ["b"] * 12 + ["one person's"]})
    data = om.Microdata(frame, {"x": om.Category()})
    assert "one person's" in set(om.DataSwapping().mask(data, seed=0).frame["x"])
    for method in (om.Microaggregation(3), om.Recoding(3), om.Generalisation(3), om.Suppression(3), om.Resampling(3)):
        assert "one person's" not in set(method.mask(data, seed=0).frame["x"])


def test_a_note_counts_the_rare_values_that_nobody_listed():
    cells = ["a"] * 12 + ["b", "c", "c", " c"]
    data = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Category()})
    (note,) = data.notes
    assert (note.code, note.values["number"], note.values["column"]) == ("rare-categories", 2, "x")
    listed = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Category({"g": ["b"]})})
    assert [note.values["number"] for note in listed.notes] == [1]
    listed = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Category({"g": ["b", "c"]})})
    assert note_codes(listed.notes) == []


def test_a_category_that_looks_missing_is_shown_without_a_concept():
    mapped = column_of(["None", "None", "high"]).mapping
    assert [v.value for v in mapped.perhaps_missing] == ["None"]
    assert "'None' (2 records)" in mapped.to_text().splitlines()[-1]
    assert "=" not in mapped.to_text()


def test_rare_values_are_those_of_few_persons():
    frame = pd.DataFrame({"x": ["a"] * 12 + ["b"] * 12, "who": [*range(12), *[1] * 12]})
    data = om.Microdata(frame, {"x": om.Category()}, person="who")
    assert [note.values["number"] for note in data.notes] == [1]


def test_a_value_of_a_dropped_record_is_not_released():
    frame = pd.DataFrame({"x": ["a", "b", "c"] * 5 + ["gone"], "y": [1] * 15 + [None]})
    data = om.Microdata(frame, {"x": om.Category(), "y": om.Category()}, missing="drop")
    assert "gone" not in data.quasi_identifiers["x"].domain
    assert "gone" in data.mapping["x"].concepts


def test_nothing_of_the_table_shows_in_reprs():
    column = column_of(CELLS, om.Category(STATUS))
    text = repr(column) + repr(column.kind) + repr(om.Category(STATUS)) + repr(column.mapping)
    assert not any(word in text for word in (*CELLS, "couple", "alone", "ever"))


def test_a_plan_in_a_file_masks_categories(tmp_path):
    data = om.Microdata(pd.DataFrame({"x": CELLS * 3}), {"x": om.Category(STATUS)})
    result = om.Generalisation(4).mask(data, seed=0)
    om.save_plan(result, tmp_path / "x.plan")
    released = om.load_plan(tmp_path / "x.plan").apply(data, np.random.default_rng(0))
    assert sorted(released.cells["x"]) == sorted(set(result.frame["x"]))


def test_a_stream_of_categories():
    frame = pd.DataFrame({"x": CELLS * 3, "y": [0, 1, 1] * 5})
    data = om.Microdata(frame, {"x": om.Category(STATUS), "y": om.Category()})
    model = om.UncorrelatedNoise(0.3).fit(data)
    assert model.mask_record({"x": "single", "y": 1}, alpha=0, seed=0) == {"x": "single", "y": 1}
    out = model.mask_batch(data.frame, seed=0)
    known = data.quasi_identifiers["x"].domain.ids
    assert set(out["x"]) <= set(known)
    with raises(MappingError, column="x", values=("unheard of",)):
        model.mask_record({"x": "unheard of", "y": 1}, seed=0)


def test_the_report_of_values_and_groups():
    data = om.Microdata(pd.DataFrame({"x": [*CELLS, "married"]}), {"x": om.Category({**STATUS, "rest": ["unknown"]})})
    report = data.mapping["x"]
    assert {v.value: v.label for v in report.values if v.label} == {
        "married": "couple",
        "partners": "couple",
        "widowed": "alone",
        "divorced": "alone",
    }
    assert report.rules == {"group": 4, "no group": 1}
    assert report.unused_keys == ("unknown",)
    assert report.to_text() == (
        "x → 4 groups\n"
        "  5 values in 6 records, 0 missing\n"
        "    ever: 4 values in 5 records\n"
        "    no group: 1 value in 1 record: 'single'\n"
        "  in the groups, but not in the column: 'unknown'"
    )
    assert "      married: 2" in report.to_text(all_values=True).splitlines()
    assert report.to_dict()["rules"] == {"group": 4, "no group": 1}


def test_a_report_has_no_source_for_categories():
    data = om.Microdata(pd.DataFrame({"x": CELLS * 12}), {"x": om.Category(STATUS)})
    result = om.Microaggregation(3).mask(data, seed=0)
    report = om.build_report(data, result, om.evaluate(data, result))
    assert report.sources == ()
    assert "height of the common group" in report.to_text()
