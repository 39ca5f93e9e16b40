from __future__ import annotations

import pytest

import ontomask as om
from experiments.grouping import recoding_and_resampling as script
from experiments.grouping.option_tables import ADULT, Table
from experiments.grouping.trials import Trials
from experiments.shared.findings import Spread
from ontomask.examples import adult_data


@pytest.fixture(scope="module")
def table():
    return Table(ADULT, adult_data(), (5,), script.OPTIONS, (0, 1))


@pytest.fixture(scope="module")
def trials(table):
    return script.measure(table)


@pytest.fixture(scope="module")
def findings(table, trials):
    return script.findings_of([table], {ADULT: trials})


def test_the_page_says_what_was_measured(findings):
    assert "30,162 records, 394 distinct tuples, 84 of them unique; seeds 0 to 1." in findings.page
    lines = [[cell.strip() for cell in line.split("|")] for line in findings.page.splitlines()]
    for name in script.OPTIONS:
        # L by k, under a label; all figures at k = 5.
        assert sum(cells[2:3] == [name] and len(cells) == 5 for cells in lines) == 1
        figures = [cells for cells in lines if cells[1:2] == [name] and len(cells) == 8]
        assert sum(cells[2] not in script.OPTIONS for cells in figures) == 1
    compared = [tuple(cells[1:3]) for cells in lines if len(cells) == 8]
    assert [pair for pair in compared if pair in script.PAIRS] == list(script.PAIRS)


def test_figures_are_those_of_the_evaluation(table, trials):
    scores = [om.evaluate(table.data, om.Recoding(5).mask(table.data, seed=seed)) for seed in table.seeds]
    found = trials.figures[script.DEFAULT, 5]
    for measure in ("sse", "loss_percent", "k"):
        assert found[measure].mean == pytest.approx(sum(getattr(score, measure) for score in scores) / 2)
    assert found["loss_percent"].runs == 2
    assert trials.figures["in turn, ω", 5]["tuples"].mean * 5 <= 30_162


def test_what_is_compared(trials):
    assert trials("loss_percent", script.DEFAULT, 5) < trials("loss_percent", script.EQUALITY, 5)
    assert script.regrets({ADULT: trials})[ADULT, 5] >= 1


def losses(**means: float) -> Trials:
    return Trials({(name, 5): {"loss_percent": Spread(mean, 0.5, 3)} for name, mean in means.items()})


def test_the_default_schedule_is_held_against_the_better():
    found = {ADULT: losses(**{script.DEFAULT: 3.0, script.ONCE: 3.0, script.TURN: 2.0})}
    assert script.regrets(found) == {(ADULT, 5): 1.5}
    assert script.schedule(found) == "0 of 1 cases. At worst (Adult, k = 5) it loses 1.50 times as much"


def test_settings_within_the_spread_are_told():
    means = {4: 2.0, 3: 5.0, 2: 2.9, 1: 3.1}
    trials = losses(**{f"setting {n}, {way}": mean for way in script.SORTED for n, mean in means.items()})
    assert script.best_settings(trials).splitlines()[-1].split("|")[-2].strip() == "4 (2)"


def test_verdicts_have_texts_of_their_own(findings):
    texts = [conclusion.text for conclusion in findings.conclusions]
    assert len(set(texts)) == len(texts) > 0
    for conclusion in findings.conclusions:
        assert conclusion.source == "ours" or conclusion.source.startswith("Martínez 2012")
