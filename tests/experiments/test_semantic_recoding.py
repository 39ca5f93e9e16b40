from __future__ import annotations

import polars as pl
import pytest

import ontomask as om
from experiments.framework.claims import judge
from experiments.framework.measurements import Rows
from experiments.grouping import semantic_recoding as script


def rows(measure, figures):
    """Rows of one table and seed, from the figures of each method by level."""
    return Rows.of(
        {"table": "here", "method": name, "level": k, "measure": measure, "columns": "", "seed": 0, "value": value}
        for name, by_level in figures.items()
        for k, value in by_level.items()
    )


def verdict(key, measure, figures):
    claim = next(claim for claim in script.EXPERIMENT.claims if claim.key == key)
    (found,) = judge(claim, rows(measure, figures))
    return found.holds, found.cases


LOSSES = {
    # H1 saves 0.04 and 0.05, H2 then 0.06 and 0.03.
    script.CHANCE: {5: 0.30, 10: 0.40},
    script.FIRST: {5: 0.26, 10: 0.35},
    script.SEMANTIC: {5: 0.20, 10: 0.32},
}


def test_heuristics():
    assert verdict("first-heuristic-helps", "semantic_loss", LOSSES) == (2, 2)
    # 13 and 12.5 % are not slight.
    assert verdict("first-heuristic-helps-slightly", "semantic_loss", LOSSES) == (0, 2)
    assert verdict("meaning-contributes-most", "semantic_loss", LOSSES) == (1, 2)
    # Both save 0.10 at k = 5 and 0.08 at 10.
    assert verdict("gain-grows", "semantic_loss", LOSSES) == (0, 1)


def test_linked_records():
    # Ahead by 3 and 1 below k = 5, by 1 from there on.
    semantic, other = {2: 5, 3: 4, 5: 3, 20: 2.2}, {2: 8, 3: 5, 5: 4, 20: 3.2}
    figures = {script.SEMANTIC: semantic, script.DISTRIBUTIONAL: other}
    assert verdict("linked-less-at-small-k", "rl", figures) == (1, 1)
    # From 3 it may fall to 2.25, from 4 to 3.
    assert verdict("linkage-is-stable", "rl", figures) == (1, 2)
    assert verdict("linkage-is-stable", "rl", figures | {script.SEMANTIC: semantic | {20: 2.3}}) == (2, 2)


@pytest.mark.parametrize(("counts", "expected"), [((1, 1, 1, 4), True), ((1, 2, 2, 2), False)])
def test_schedule_is_that_of_recoding(counts, expected):
    # At k = 2: 7 records and 1 or 3 tuples that stay, 7 or 2.3 records each; the limit is 4.
    taxonomy = om.Taxonomy.from_edges([(letter, "top") for letter in "abcd"])
    cells = [letter for letter, count in zip("abcd", counts, strict=True) for _ in range(count)]
    data = om.Microdata(pl.DataFrame({"x": cells}), {"x": om.Nominal(taxonomy)})
    assert script.in_turn(data, 2) is expected
    chosen = script.methods(sequential=expected)[script.SEMANTIC](2)
    assert chosen.mask(data, seed=3).frame["x"].to_list() == om.Recoding(2).mask(data, seed=3).frame["x"].to_list()
