from __future__ import annotations

import pytest

from experiments.framework.measurements import Rows, rows
from experiments.framework.tables import ADULT, other_ties
from experiments.ontologies import hierarchies_in_masking as script
from experiments.ontologies.built_hierarchies import by_hand
from ontomask.examples.adult import DOMAIN, adult_data


def test_pairs_of_which_one_scores_better():
    by_max, by_mean, default, other = script.BUILT
    scored = {other: (0.2, 0.3), by_max: (0.2 + 1e-9, 0.3), by_mean: (0.2, 0.4), default: (0.1, 0.5)}
    losses = {other: 0.3, by_max: 0.5, by_mean: 0.4, default: 0.1}
    # Hierarchies made by hand are another claim.
    scored[script.BY_HAND], losses[script.BY_HAND] = (0.3, 0.6), 0.9
    found = Rows.of(
        row
        for name, figures in scored.items()
        for level, values in (
            (None, {(script.SCORE, column): score for column, score in zip(DOMAIN, figures, strict=True)}),
            (5, {(script.INDEPENDENT, script.LOCAL): losses[name]}),
        )
        for row in rows(values, table=ADULT, method=name, level=level)
    )
    judged = script.follows_score(found)
    # Two of them score better than by mean: 0.4 - 0.5 and 0.4 - 0.3.
    assert judged["margin"].to_list() == pytest.approx([-0.1, 0.1])


def test_scores_are_of_what_is_released():
    adult = adult_data()
    data = other_ties(adult, 1)
    hand = by_hand(data, adult)
    # Person is above all occupations and is released on both levels, so both lose the same.
    assert script.scores(data, hand)[script.SCORE, "occupation"] == pytest.approx(0.2381, abs=1e-4)
