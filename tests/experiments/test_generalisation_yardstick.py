from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "generalisation_yardstick.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generalisation_yardstick", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows(script):
    return script.measure(script.adult_data(), (5, 128))


def test_rows_stand_on_the_page(script, rows):
    page = [_cells(line) for line in script.PAGE.read_text(encoding="utf-8").splitlines()]
    for line in script.table(rows).splitlines()[2:]:
        assert _cells(line) in page


def _cells(line: str) -> list[str]:
    """What stands in a row of a table, without the time."""
    return [cell.strip() for cell in line.split("|")[1:-2]]


def test_figures_agree(rows):
    for row in rows:
        assert row.achieved >= row.k
        assert 0 < row.sse <= 30162
        # The square of a mean is at most the mean of squares; distances are at most 1.
        assert 30162 * row.loss**2 <= row.sse + 1e-6 <= 30162 * row.loss + 1e-6
    at_5 = {row.method: row for row in rows if row.k == 5}
    assert (at_5["records"].sse, at_5["records"].gone, at_5["records"].tuples) == (497, "497 records", 165)


def test_summary_counts(script, rows):
    text = script.summary({"Adult over WordNet": (None, rows)})
    assert "has the least SSE in 2 of 2 cases" in text
    assert "the greatest SSE in 0 of 2 cases" in text
