"""Claims as formulas of figures, by hand."""

from __future__ import annotations

import polars as pl
import pytest

from experiments.framework.claims import Claim, formula, judge, less, linear, together
from experiments.framework.measurements import Rows

FIGURES = {("a", 2): 1.0, ("a", 4): 2.0, ("a", 8): 4.0, ("b", 2): 5.0, ("b", 4): 6.0, ("b", 8): 7.0}


def rows(columns="", table="here", figures=FIGURES):
    return Rows.of(
        {"table": table, "method": name, "level": k, "measure": "loss", "columns": columns, "seed": 0, "value": value}
        for (name, k), value in figures.items()
    )


def margins(rule, measured):
    return sorted(rule(measured)["margin"].to_list())


def test_each_level_is_a_case():
    assert margins(formula("loss", pl.col("b") - 2 * pl.col("a")), rows()) == [-1.0, 2.0, 3.0]
    assert margins(formula("loss", pl.col("b"), where=pl.col("level") > 3), rows()) == [6.0, 7.0]


def test_levels_are_compared():
    growth = (pl.col(f"{name}@8") - pl.col(f"{name}@2") for name in "ab")
    assert margins(formula("loss", *growth, by_level=False), rows()) == [2.0, 3.0]


def test_a_case_of_several_margins_holds_against_each_on_average():
    # Better than each rival on average by 1, but with each seed worse than one of them by 1.
    figures = {("a", 0): 4.0, ("b", 0): 3.0, ("c", 0): 7.0, ("a", 1): 4.0, ("b", 1): 7.0, ("c", 1): 3.0}
    measured = Rows.of(
        {"table": "here", "method": name, "level": 2.0, "measure": "loss", "columns": "", "seed": seed, "value": value}
        for (name, seed), value in figures.items()
    )
    leads = [pl.col(name) - pl.col("a") for name in "bc"]

    def judged(*cases):
        (found,) = judge(Claim("", "", "", formula("loss", *cases)), measured)
        return found.holds, found.cases

    assert judged(leads) == (1, 1)
    assert judged(pl.min_horizontal(leads)) == (0, 1)
    assert judged(leads, leads[0], [*leads, pl.lit(-1.0) * pl.col("a")]) == (2, 3)


def test_columns_are_compared():
    both = Rows(pl.concat([rows("fine").frame, rows("coarse", figures={("a", 2): 3.0}).frame]))
    rule = formula("loss", pl.col("coarse") - pl.col("fine"), of="columns", where=pl.col("method") == "a")
    assert margins(rule, both) == [2.0]


def test_tables_without_a_figure_are_not_judged():
    both = Rows(pl.concat([rows().frame, rows(table="there", figures={("a", 2): 3.0}).frame]))
    assert set(formula("loss", pl.col("b") - pl.col("a"))(both)["table"]) == {"here"}
    assert formula("loss", pl.col("c"))(both).is_empty()


def test_line_or_logarithm():
    measured = linear("loss")(rows())
    # a is 0.5 k, b is 4 + log2(k).
    of = dict(zip(measured["case"], measured["margin"], strict=True))
    assert of["|a"] > 0 > of["|b"]


def test_rules_together_keep_their_cases():
    found = together(less("loss", "a", "b"), less("loss", "a", "b", factor=0.5))(rows())
    assert found["case"].n_unique() == len(found) == 6
    assert sorted(found["margin"]) == pytest.approx([-0.5, 1.0, 1.5, 3.0, 4.0, 4.0])
