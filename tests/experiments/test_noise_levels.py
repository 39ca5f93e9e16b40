from __future__ import annotations

import pytest

from experiments.noise.noise_framework import measure_chance, measure_noise
from experiments.noise.noise_levels import ADULT, SEEDS, WHOLE, Tried, also, conclusions, run, table, tables
from experiments.noise.noise_rules import MEAN, NAIVE, ROOT, UNCORRELATED
from experiments.shared.findings import DOCS, Setting

PAGE = DOCS / "noise_levels.md"


@pytest.fixture(scope="module")
def adult():
    setting = Setting()
    data, seeds = tables(setting)[ADULT], setting.seeds(SEEDS)
    noise = measure_noise(data, (UNCORRELATED, MEAN, ROOT), (0.3,), seeds, also)
    return Tried(data, {**measure_chance(data, seeds, also), **noise})


def _cells(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]


def test_figures_stand_on_the_page(adult):
    page = _cells(PAGE.read_text(encoding="utf-8"))
    lines = _cells(table(adult))[2:]
    assert len(lines) == 2 + 3  # two distortions by chance; occupation and country are no pair
    for line in lines:
        assert line in page


def test_figures(adult):
    assert len(adult.data) == 6033
    plain = adult.measures[UNCORRELATED, 0.3]
    for letter, of in zip("AB", adult.before.utility.attributes.values(), strict=True):
        # Errors are drawn with α times the variance.
        assert plain["target_rmse", letter].mean == pytest.approx((0.3 * of.variance.before) ** 0.5, rel=0.03)
    assert plain["rmse", "A"].runs == SEEDS
    assert plain["sdcor_floor", "AB"].runs == 1
    assert adult.measures[NAIVE, None]["distinct", "A"].mean == 14
    assert plain["distinct", "A"].mean > 500


def test_methods(adult):
    assert adult.methods == [UNCORRELATED, MEAN, ROOT]
    assert adult.guided == [ROOT]


def test_conclusions_are_counted(adult):
    found = {one.text: one for one in conclusions({ADULT: adult}, (0.3,))}
    assert found["actual RMSE ≥ target for α ≤ 0.5"].verdict(ADULT) == "found (6 of 6)"
    assert len(found["`pair` and `root` preserve sdCor better than `mean`"].cases[ADULT]) == 1
    # `root` has more RMSE than the only uncorrelated noise that it could be compared with.
    errors = {name: (m["rmse", "A"].mean + m["rmse", "B"].mean) / 2 for (name, _), m in adult.measures.items()}
    reached = [name for name in (MEAN, ROOT) if errors[name] <= errors[UNCORRELATED]]
    (equal,) = [one for one in found.values() if "of the same RMSE" in one.text]
    assert len(equal.cases[ADULT]) == len(reached) < 2
    # There is no other table of the same columns to hold it against.
    (weak,) = [one for one in found.values() if one.source == "Rodriguez-Garcia 2016, Fig. 2"]
    assert weak.verdict(ADULT) == weak.verdict(WHOLE) == "—"


def test_page_tells_what_was_measured():
    setting = Setting(quick=True)
    findings = run(setting)
    page = findings.whole_page("noise_levels", setting)
    assert "WordNet, 302 records:" in page
    assert "over the seeds 0 to 1." in page
    assert "6,033" not in page
    assert "ICD-9-CM" not in page
    assert findings.reading not in page
    assert {row["seeds"] for row in findings.rows} == {1, 2}
