from __future__ import annotations

import pytest

from experiments.framework.claims import judge
from experiments.framework.measurements import Rows
from experiments.framework.tables import DIABETES, THESIS
from experiments.grouping.microaggregation import (
    ABRIL,
    EQUALITY,
    EXPERIMENT,
    FIXED,
    MOVING,
    PRINTED,
    SECOND,
    STATIC,
    WEIGHTS,
    ahead,
)

KS = (2, 10, 15)
# By k; each claim on diabetes130 holds for these.
LOSSES = {
    MOVING: (1.0, 2.0, 2.5),
    STATIC: (1.0, 2.1, 3.0),
    FIXED: (1.2, 4.0, 6.0),
    ABRIL: (2.0, 6.0, 19.0),
    EQUALITY: (6.0, 7.0, 8.0),
}
RISKS = {MOVING: (3.0, 2.0, 1.0), ABRIL: (2.5, 1.5, 0.5), EQUALITY: (6.0, 5.0, 4.0)}


def row(name, method, k, value, table=DIABETES, columns=""):
    cell = {"table": table, "method": method, "level": k, "measure": name, "columns": columns}
    return {**cell, "seed": 0, "value": value}


def held(key, losses=LOSSES, risks=RISKS):
    """How many cases of a claim hold, and how many there are."""
    rows = [row("loss", method, k, value) for method, of in losses.items() for k, value in zip(KS, of, strict=True)]
    for method, of in risks.items():
        rows += [row("rl", method, k, value) for k, value in zip(KS, of, strict=True)]
    (claim,) = [claim for claim in EXPERIMENT.claims if claim.key == key]
    (found,) = judge(claim, Rows.of(rows))
    return found.holds, found.cases


def changed(figures, method, values):
    return {**figures, method: values}


@pytest.mark.parametrize(
    ("key", "cases", "losses", "risks", "left"),
    [
        ("moving-centroids-lose-no-more", 3, changed(LOSSES, MOVING, (1.1, 2.0, 2.5)), RISKS, 2),
        ("adaptive-clusters-lose-less-by-record", 3, changed(LOSSES, STATIC, (1.0, 4.1, 3.0)), RISKS, 2),
        # Its L grows by 2.5, that of the mode by 2.
        ("smaller-slope", 1, changed(LOSSES, MOVING, (1.0, 2.0, 3.5)), RISKS, 0),
        ("subsumers-first-better", 1, changed(LOSSES, ABRIL, (7.0, 6.0, 19.0)), RISKS, 0),
        ("subsumers-then-worse", 1, changed(LOSSES, ABRIL, (2.0, 6.0, 7.0)), RISKS, 0),
        ("mode-is-linked-most", 3, LOSSES, changed(RISKS, MOVING, (7.0, 2.0, 1.0)), 2),
        ("sa-mdav-loses-less", 3, changed(LOSSES, MOVING, (1.0, 6.5, 2.5)), RISKS, 2),
        # 1.0 from the mode and 2.5 from the subsumer at k = 2.
        ("nearer-to-abril", 3, LOSSES, changed(RISKS, MOVING, (5.0, 2.0, 1.0)), 2),
        # Scores of 2, 2 and 1.75; then 2, 2 and 4.
        ("steady-score", 1, changed(LOSSES, MOVING, (1.0, 2.0, 7.0)), RISKS, 0),
        # The scores of the subsumer grow by 7.5, those of the mode not at all, and those of SA-MDAV by 0.25.
        ("related-scores-grow-more", 1, changed(LOSSES, MOVING, (1.0, 2.0, 3.5)), RISKS, 0),
    ],
)
def test_claims_hold_and_can_fail(key, cases, losses, risks, left):
    assert held(key) == (cases, cases)
    assert held(key, losses, risks) == (left, cases)


def test_balance_by_weight():
    # At k = 10: 4 less loss than the subsumer and 0.5 more risk, so SA-MDAV is ahead from w = 0.5 / 4.5 = 0.11 on.
    assert held("best-by-weight") == (len(WEIGHTS) - 1, len(WEIGHTS))
    # With 1.9 more risk, from w = 1.9 / 5.9 = 0.32 on.
    assert held("best-by-weight", risks=changed(RISKS, ABRIL, (2.5, 0.1, 0.5))) == (len(WEIGHTS) - 3, 10)


def test_equal_records_are_compared_with_the_printed_figures():
    (claim,) = [claim for claim in EXPERIMENT.claims if claim.key == "groups-as-printed"]
    rows = [row(name, "table", None, 1.04 * printed, THESIS, SECOND) for name, printed in PRINTED.items()]
    rows[0]["value"] = 0.94 * PRINTED["distinct"]
    (found,) = judge(claim, Rows.of(rows))
    assert (found.holds, found.cases) == (5, 6)


def test_the_levels_at_which_related_work_is_ahead():
    losses = {MOVING: (3.0, 2.0), ABRIL: (1.0, 2.5), EQUALITY: (2.9, 1.9)}
    rows = [
        row("loss", method, k, value, THESIS, columns)
        for columns in (SECOND, "few")
        for method, of in losses.items()
        for k, value in zip((2, 10), of, strict=True)
    ]
    found = ahead(Rows.of(rows), "loss", THESIS)
    assert found == {ABRIL: f"2 ({SECOND}) and 2 (few)", EQUALITY: f"2, 10 ({SECOND}) and 2, 10 (few)"}
