from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "swapping_intervals.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("swapping_intervals", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def measured(script):
    _, data = next(script.collect(None))
    return script.measure(data, ks=(5, 50))


def test_rows_stand_on_the_page(script, measured):
    page = [_cells(line) for line in script.PAGE.read_text(encoding="utf-8").splitlines()]
    lines = script.figures(measured).splitlines()
    assert len(lines) == 2 + 1 + 7 * 2
    for line in lines[2:]:
        assert _cells(line) in page


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_reading_stands_on_the_page(script):
    assert script.READING in script.PAGE.read_text(encoding="utf-8")


def test_shapes(script, measured):
    held = script.conclusions(measured)
    for text in ("RMSE of Algorithm 2 ≤ Algorithm 3", "sdCor kept better by Algorithm 3 than by 1"):
        assert all(held[text])
    assert not any(held["sdCor kept better by Algorithm 1 than by distributional swapping"])
    by_name = {(row.method, row.k): row for row in measured.rows}
    # Whatever the data, swapping each with any other leaves as many unchanged as chance does.
    column = next(iter(measured.data.quasi_identifiers.values()))
    share = np.bincount(column.code) / len(column.code)
    assert by_name["data swapping", None].unchanged[0] == pytest.approx((share**2).sum(), abs=0.01)
    for (method, _), row in by_name.items():
        if method.endswith("unswapped"):
            assert row.unswapped == (0, 0)
            assert row.at_least_k == (1, 1)
