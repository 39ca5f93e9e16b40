from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ontomask as om
from experiments.framework.claims import Verdict, judge
from experiments.framework.measurements import PRINTED, Rows, printed, rows
from experiments.swapping import rank_swapping as script
from experiments.swapping.line_9 import lost, read_literally


def test_printed_tables_meet_the_claims():
    of = {"table": PRINTED, "method": script.ORIGINAL}
    measured = Rows.of([*rows({("sdcor", "AB"): script.SDCOR}, **of), *printed(script.TABLES)])
    judged = {claim.key: judge(claim, measured) for claim in script.EXPERIMENT.claims}
    assert {one.verdict for judgements in judged.values() for one in judgements} == {Verdict.FOUND}
    # The methods without meaning and the literal reading are not in the printed tables.
    assert sum(not judgements for judgements in judged.values()) == 7


def test_line_9_read_literally_loses_values():
    names = [f"{column}{number}" for column in "ab" for number in range(3)]
    t = om.Taxonomy.from_edges([(name, "thing") for name in names])
    frame = pl.DataFrame({"a": ["a0", "a1", "a2"], "b": ["b0", "b1", "b2"]})
    data = om.Microdata(frame, {name: om.Nominal(t) for name in frame.columns})
    found = [read_literally(data, 2, np.random.default_rng(seed)) for seed in range(20)]
    # If the first reference swaps both values with one record, the third has no partner and stays. Otherwise the next
    # reference was swapped in one column, and swaps again with the third: one of six values is overwritten.
    assert {round(lost(frame, one), 6) for one in found} == {0, round(1 / 6, 6)}
    for one in found:
        assert lost(frame, om.RankSwapping(2).mask(data, seed=0).frame) == 0
        changed = [name for name in frame.columns if sorted(one[name]) != sorted(frame[name])]
        assert len(changed) == round(6 * lost(frame, one))


def test_share_of_dependence_lost():
    found = Rows.of(
        [
            *rows({("sdcor", "AB"): 0.4}, table="a table", method=script.ORIGINAL),
            *rows({(script.CHANGE, "AB"): 0.08}, table="a table", method=script.THIRD, level=20, seed=1),
            *rows({(script.CHANGE, "AB"): 0.3}, table="a table", method=script.THIRD, level=50, seed=1),
        ]
    )
    rule = script.share_lost([script.THIRD], 0.25 - script.SHARE)
    assert rule(found)["margin"].to_list() == [pytest.approx(0.05)]  # k = 50 is not typical
