from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "noise_levels.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("noise_levels", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def measured(script):
    data = script.collect(None)["Adult over WordNet"]
    return data, *script.measure(data, alphas=(0.3,))


def test_rows_stand_on_the_page(script, measured):
    _, before, rows = measured
    page = [_cells(line) for line in script.PAGE.read_text(encoding="utf-8").splitlines()]
    lines = script.table(before, rows).splitlines()
    assert len(lines) == 2 + 2 + 3  # two distortions by chance; occupation and country are no pair
    for line in lines[2:]:
        assert _cells(line) in page


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_reading_stands_on_the_page(script):
    assert script.READING in script.PAGE.read_text(encoding="utf-8")


def test_figures(measured):
    data, before, rows = measured
    assert len(data) == 6033
    by_method = {row.method: row for row in rows}
    plain = by_method["uncorrelated"]
    # Errors are drawn with α times the variance.
    assert plain.target == pytest.approx(np.sqrt(0.3 * np.array(before.variances)), rel=0.03)
    assert plain.excess(before) == pytest.approx(
        [a - 1.3 * b for a, b in zip(plain.variance, before.variances, strict=True)]
    )
    for row in rows[2:]:
        assert all(actual >= target for actual, target in zip(row.rmse, row.target, strict=True))


def test_conclusions_are_counted(script, measured):
    _, before, rows = measured
    cases = script.conclusions(before, rows)
    assert cases["actual RMSE ≥ target for α ≤ 0.5"] == [True] * 6
    assert len(cases["pair and root keep sdCor better than mean"]) == 1
    assert script.summary({"Adult": (None, before, rows)}).splitlines()[2].split("|")[2].strip() == "6 of 6"
