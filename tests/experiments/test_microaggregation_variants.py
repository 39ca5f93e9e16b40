from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ontomask.examples import adult_data

SCRIPT = Path(__file__).parents[2] / "experiments" / "microaggregation_variants.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        spec = importlib.util.spec_from_file_location("microaggregation_variants", SCRIPT)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
    return module


def test_the_page_is_made_and_says_what_was_measured(script):
    tasks = [script.Task("Adult", adult_data(), (5,), script.OPTIONS)]
    found = script.measure(tasks)
    page = script.report(tasks, found, " --some argument")
    assert "30,162 records, 394 distinct tuples" in page
    for name in script.OPTIONS:
        # L by k, SRL by k, and all figures at k = 5.
        assert page.count(f"| {name} ") == 3
    assert "microaggregation_variants.py --some argument --write" in page

    figures = {name: by[5] for name, by in found["Adult"].items()}
    assert all(f.achieved >= 5 and f.srl <= 100 / f.achieved for f in figures.values())
    assert min(figures, key=lambda name: figures[name].loss) == "refined"
    assert figures["refined"].loss < 0.7 * figures["SA-MDAV, no ω"].loss
    assert figures["MDAV"].loss < figures["MDAV, equality and mode"].loss
