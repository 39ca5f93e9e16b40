from __future__ import annotations

import pytest

from experiments.shared.findings import Setting
from experiments.shared.perturbation import printed
from experiments.swapping import rank_swapping
from experiments.swapping.swapping_rules import KS, PRINTED, THIRD


@pytest.fixture(scope="module")
def quick():
    return rank_swapping.run(Setting(quick=True))


def test_page_tells_what_was_measured(quick):
    assert "seeds 0 to 1" in quick.page
    assert "seeds 0 to 9" not in quick.page
    assert "Rare values" not in quick.page
    assert "Here A and B are in one taxonomy" in quick.page
    assert {row["method"] for row in quick.rows} >= {"original", THIRD, "data swapping"}
    assert all(row["seeds"] == 2 for row in quick.rows if row["method"] != "original")


def test_all_rows_of_the_tables_are_shown(quick):
    _, _, rest = quick.page.partition("Rodriguez-Garcia 2019, Table 4: Algorithm 3.")
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rest.split("\n\n")[1].splitlines()]
    published = {line[0]: line[2:] for line in table if line[1] == "Rodriguez-Garcia 2019"}
    assert published["sMean(A*), most frequent"] == ["*Acute appendicitis with peritoneal abscess*"] * 2
    assert published["sd(sMean(B*), sMean(B))"] == ["0", "0"]
    assert published["sdVar(A*) differs from sdVar(A) by"] == ["0", "0"]
    assert published["RMSE(A)"] == ["0.1966", "0.4656"]
    assert "0.1148" in quick.page


def test_published_tables_meet_the_conclusions(quick):
    """RMSE(A) with a third column differs most at k = 50. All else in the published tables meets the conclusions."""
    verdicts = {
        one.text: one.verdict(PRINTED)
        for one in quick.conclusions
        if one.source == "Rodriguez-Garcia 2019, section 4.3"
    }
    missed = [text for text, verdict in verdicts.items() if verdict.startswith("not found")]
    assert [text[:23] for text in missed] == ["differences are more si"]
    assert verdicts[missed[0]] == "not found (2 of 3)"


def test_a_third_column_that_helps_is_noticed():
    two, three = rank_swapping.TABLE_5, rank_swapping.TABLE_6
    better = {**three, ("rmse", "B"): {k: value - 0.02 for k, value in two["rmse", "B"].items()}}
    strong = rank_swapping.Strong(printed({THIRD: two}), printed({THIRD: better}), 10, KS)
    (slightly,) = [
        one for one in rank_swapping.of_strong({"here": strong}) if one.text.startswith("but slightly worse")
    ]
    assert slightly.verdict("here") == "not found (12 of 18)"
