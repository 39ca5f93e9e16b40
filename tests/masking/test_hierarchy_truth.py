from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app
from ontomask.errors import MaskingError
from ontomask.hierarchy import Hierarchy, with_true_ranges
from ontomask.hierarchy.range_labels import false_ranges
from ontomask.masking.generalisation import Generalisation
from ontomask.operators.ranges import ends_of

from support.errors import raises


def excludes(label, value):
    """Whether a label describes a range that a value, an integer, is outside of."""
    return bool(false_ranges([value], lambda _: [label]))


SEVERAL = [("Leeds", "UK", "Europe", "*"), ("York", "UK", "Isles", "*"), ("Galway", "Eire", "Isles", "*")]
SEVERAL += [("Cork", "Eire", "Isles", "*"), ("Paris", "France", "Europe", "*")]


@pytest.mark.parametrize("variant", ["least_cost", "best_first"])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_label_with_two_parents_is_released_as_something_true(variant, k):
    # UK is in Europe in one row and in the Isles in the other, so Leeds can climb to the Isles. What is released for
    # Isles must then contain the number of Leeds.
    number = {"Leeds": 1, "York": 20, "Galway": 30, "Cork": 31, "Paris": 2}
    hierarchy = Hierarchy.from_rows([(number[row[0]], *row[1:]) for row in SEVERAL])
    for cells in ([1, 30, 31, 20], [1, 1, 30, 2, 20, 31], [1, 31, 2, 2]):
        data = om.Microdata(pd.DataFrame({"c0": cells}), {"c0": om.Numeric()})
        for mode in ("local", "full_domain"):
            options = {"variant": variant} if mode == "local" else {}
            result = Generalisation(k, hierarchies={"c0": hierarchy}, mode=mode, **options).mask(data)
            masked = result.data.columns["c0"]
            for value, code in zip(cells, masked.code, strict=True):
                (low,), (high,) = ends_of(np.array([masked.point[code]], dtype=complex))
                assert low <= value <= high


def test_concepts_of_a_label_with_two_parents_subsume_its_values():
    edges = [("Leeds", "UK"), ("York", "UK"), ("Galway", "Eire"), ("Cork", "Eire"), ("Paris", "France")]
    edges += [("UK", "world"), ("Eire", "world"), ("France", "world")]
    kind = om.Nominal(om.Taxonomy.from_edges(edges), domain="world")
    cells = ["Leeds", "Galway", "Cork", "Leeds", "York"]
    data = om.Microdata(pd.DataFrame({"c0": cells}), {"c0": kind})
    for k in (2, 3, 4):
        result = Generalisation(k, hierarchies={"c0": Hierarchy.from_rows(SEVERAL)}).mask(data)
        for value, out in zip(cells, result.frame["c0"], strict=True):
            assert out in kind.taxonomy.subsumers(value)


def test_categories_in_two_groups_are_refused():
    with raises(om.errors.TableError, parameter="groups", values=("UK",)):
        om.Category(Hierarchy.from_rows(SEVERAL))


@pytest.mark.parametrize("mode", ["local", "full_domain"])
def test_range_labels_that_exclude_their_values_are_refused(mode):
    # As in ARX's own file of ages: 20 is below 15-19.
    hierarchy = Hierarchy.from_rows([(a, f"{(a - 1) // 5 * 5}-{(a - 1) // 5 * 5 + 4}", "*") for a in range(16, 26)])
    frame = pd.DataFrame({"age": [18, 20, 21, 24, 25, 25]})
    for kind in (om.Nominal(hierarchy.to_taxonomy()), om.Category(hierarchy)):
        with raises(MaskingError, column="age", parameter="hierarchies", values=("15-19", "20-24")):
            Generalisation(2, mode=mode).mask(om.Microdata(frame, {"age": kind}))
    true = with_true_ranges(hierarchy)
    assert true.levels("20") == ("20", "16-20", "*")
    for kind in (om.Nominal(true.to_taxonomy()), om.Category(true)):
        released = Generalisation(3, mode=mode).mask(om.Microdata(frame, {"age": kind})).frame["age"].tolist()
        assert all(
            low == "*" or not excludes(str(low), str(age)) for low, age in zip(released, frame["age"], strict=True)
        )
    numbers = om.Microdata(frame, {"age": om.Numeric()})
    released = Generalisation(2, mode=mode, hierarchies={"age": hierarchy}).mask(numbers).frame["age"].tolist()
    assert not any(excludes(str(out), str(age)) for out, age in zip(released, frame["age"], strict=True))


def test_arx_own_files_release_nothing_false():
    folder = Path(__file__).parents[1] / "hierarchy" / "arx_adult"
    files = {
        name: om.read_hierarchy(folder / f"adult_hierarchy_{name}.csv") for name in ("age", "education", "occupation")
    }
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({name: rng.choice(h.leaves, 400) for name, h in files.items()})
    kinds = {
        "age": om.Numeric(),
        "education": om.Category(files["education"]),
        "occupation": om.Category(files["occupation"]),
    }
    data = om.Microdata(frame.assign(age=frame["age"].astype(int)), kinds)
    for mode in ("local", "full_domain"):
        result = Generalisation(5, mode=mode, hierarchies={"age": files["age"]}).mask(data)
        for value, out in zip(frame["age"], result.frame["age"].astype(str), strict=True):
            assert not excludes(out, value)
        for name in ("education", "occupation"):
            assert all(out in files[name].levels(v) for v, out in zip(frame[name], result.frame[name], strict=True))
    assert [f.code for f in om.check_hierarchy(files["age"])] == ["V119"]


def test_a_job_and_the_command_line_refuse_false_ranges(tmp_path):
    rows = [(a, f"{(a - 1) // 5 * 5}-{(a - 1) // 5 * 5 + 4}", "*") for a in range(16, 26)]
    Hierarchy.from_rows(rows).to_csv(tmp_path / "ages.csv")
    pd.DataFrame({"age": [18, 20, 21, 24, 25, 25]}).to_csv(tmp_path / "t.csv", index=False)
    job = tmp_path / "job.toml"
    job.write_text(
        '[input]\npath = "t.csv"\n[columns.age]\nrole = "quasi-identifier"\nkind = "category"\ngroups = "ages.csv"\n'
        '[method]\nname = "Generalisation"\nk = 2\n[output]\nmasked = "out.csv"\n'
    )
    with pytest.raises(om.errors.OntomaskError) as caught:
        om.Job.from_toml(job).run()
    assert set(caught.value.values) == {"15-19", "20-24"}
    done = CliRunner().invoke(app, ["mask", str(job)])
    assert done.exit_code != 0
    assert "15-19" in done.output
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("other", ["unknown", "25.5"])
def test_true_ranges_of_labels_with_other_values(other):
    rows = [("24", "20-24", "0-99"), ("25", "20-24", "0-99"), (other, "20-24", "0-99"), ("-3", "-9--4", "0-99")]
    true = with_true_ranges(Hierarchy.from_rows(rows))
    assert [true.levels(leaf)[1] for leaf in ("24", "25", other, "-3")] == ["*", "*", "*", "-3--3"]
    assert not any(excludes(label, leaf) for leaf in true.leaves for label in true.levels(leaf)[1:])
