from __future__ import annotations

import polars as pl
import pytest

from experiments.framework.at_equal import at_equal, less_at_equal
from experiments.framework.claims import computed
from experiments.framework.measurements import Rows, rows


def made(values):
    """Figures by (method, level): one (strength, figure) per seed."""
    return Rows.of(
        row
        for (method, level), by_seed in values.items()
        for seed, (size, figure) in enumerate(by_seed)
        for row in rows(
            {("size", "AB"): size, ("change", "AB"): figure}, table="here", method=method, level=level, seed=seed
        )
    )


WEAK_AND_STRONG = made(
    {
        ("weak", 1): [(0.3, 0.2), (0.2, 0.1)],
        ("strong", 1): [(0.2, 0.1), (0.2, 0.3)],
        ("strong", 2): [(0.6, 0.5), (0.4, 0.5)],
    }
)


def test_the_other_method_is_interpolated_at_the_same_strength_for_each_seed():
    found = at_equal(WEAK_AND_STRONG, "size", "change", "weak", "strong")
    # 0.3 is a quarter of the way from 0.2 to 0.6; 0.2 is the first level of the second seed.
    assert found["other_value"].to_list() == pytest.approx([0.1 + 0.4 / 4, 0.3])
    assert found["value"].to_list() == [0.2, 0.1]
    margins = less_at_equal("size", "change", "weak", "strong")(WEAK_AND_STRONG)
    assert margins["margin"].to_list() == pytest.approx([0.0, 0.2])


def test_a_case_out_of_reach_with_some_seed_is_left_out():
    # A level of the weak method with strength 0.5 in the second seed, where the strong one reaches only 0.4.
    more = made({("weak", 2): [(0.5, 0.4), (0.5, 0.4)]})
    found = at_equal(Rows(pl.concat([WEAK_AND_STRONG.frame, more.frame])), "size", "change", "weak", "strong")
    assert found["level"].unique().to_list() == [1.0]


def test_only_the_judged_levels_are_cases_but_all_levels_of_the_other_are_used():
    found = at_equal(WEAK_AND_STRONG, "size", "change", "strong", "weak", levels=[1])
    assert found.is_empty()
    found = at_equal(WEAK_AND_STRONG, "size", "change", "weak", "strong", levels=[1])
    assert len(found) == 2


def test_nothing_measured_gives_no_cases():
    assert at_equal(WEAK_AND_STRONG, "size", "change", "weak", "missing").is_empty()
    assert computed(pl.col("size"), ("size", "missing"))(WEAK_AND_STRONG).is_empty()


def test_a_margin_from_several_measures():
    rule = computed(pl.col("size") / pl.col("level") - pl.col("change"), ("size", "change"), "strong", levels=[2])
    margins = rule(WEAK_AND_STRONG)
    assert margins["margin"].to_list() == pytest.approx([0.6 / 2 - 0.5, 0.4 / 2 - 0.5])
    assert margins["case"].unique().to_list() == ["strong|AB|2.0"]
