from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ontomask.examples import adult_data

SCRIPT = Path(__file__).parents[2] / "experiments" / "recoding_and_resampling.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recoding_and_resampling", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_and_says_what_was_measured(script):
    table = script.Table(script.ADULT, adult_data())
    page = script.report(script.sections_of([(table, (5,), 1, script.OPTIONS)]), " --some argument")
    assert "30,162 records, 394 distinct tuples, 84 of them unique" in page
    for family in script.OPTIONS.values():
        for name in family:
            # Once with L by k, once with all figures at k = 5.
            assert page.count(f"| {name} ") == 2
    assert "Semantic recoding lost less than recoding by equality in 1 of 1 cases" in page
    assert "With the table's L was smaller than with each sample's own in 1 of 1 cases" in page
    assert "recoding_and_resampling.py --some argument --write" in page


def test_figures_are_those_of_the_release(script):
    table = script.Table(script.ADULT, adult_data())
    figures = table.figures(script.Recoding(30_162), 1)
    assert (figures.achieved, figures.tuples) == (30_162, 1)
    assert figures.loss == pytest.approx(100 * figures.sse / table.total)
