from __future__ import annotations

import pytest

from experiments.noise.noise_framework import run
from experiments.noise.noise_framework_conclusions import OWN, conclusions
from experiments.noise.noise_rules import (
    ALPHAS,
    MEANS,
    MEANS_OF_TWO,
    TABLE_1,
    TABLE_6,
    TABLES,
    TABLES_OF_TWO,
)
from experiments.shared.findings import Setting


@pytest.mark.parametrize(
    ("tables", "means", "sample"), [(TABLES, MEANS, TABLE_1), (TABLES_OF_TWO, MEANS_OF_TWO, TABLE_6)]
)
def test_a_published_mean_moves_where_another_is_named(tables, means, sample):
    for method, figures in tables.items():
        for letter in "AB":
            for alpha in ALPHAS:
                same = f"*{means[method][letter][alpha]}*" == sample[f"sMean({letter})"]
                assert same == (figures["mean_shift", letter][alpha] == 0)


def test_published_tables_are_checked_against_the_rules():
    found = {one.text: one.verdict(OWN) for one in conclusions({}, {}, {}, ALPHAS)}
    missed = {
        text.split(":")[0].split(" by ")[0]: verdict for text, verdict in found.items() if verdict.startswith("not")
    }
    assert missed == {
        "the mean is largely kept": "not found (21 of 24)",
        "sVar* differs from (1 + α) sVar": "not found (20 of 24)",
        "the correlation is largely kept at typical levels": "not found (6 of 9)",
        "sdCov* behaves like sVar*": "not found (0 of 12)",
        "`pair` preserves sdCor better than `mean`": "not found (3 of 4)",
        "`mean` gives a slightly better mean than `pair`": "not found (7 of 8)",
        "`mean` keeps the mean better than `root`": "not found (7 of 8)",
    }
    # Figs. 6–8 are pictures.
    assert sum(verdict == "—" for verdict in found.values()) == 2


def test_ties_are_counted_apart():
    (why,) = [one.why for one in conclusions({}, {}, {}, ALPHAS) if one.text.startswith("`mean` gives")]
    assert f"{OWN}: smaller in 1, equal in 6, larger in 1" in why


def test_page_tells_what_was_measured():
    page = run(Setting(quick=True)).page
    assert "over the seeds 0 to 1." in page
    assert "Adult's occupation and native-country" in page
    assert "diabetes130" not in page
    assert "MONDO" not in page
    assert "*Granuloma inguinale*" in page
    assert "the paper's text gives 0.87" in page
