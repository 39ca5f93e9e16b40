from __future__ import annotations

import polars as pl
import pytest

import ontomask as om
from experiments.framework.claims import judge
from experiments.framework.measurements import Rows, rows
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, public_tables
from experiments.swapping import swapping_intervals as script

CLAIMS = {claim.key: claim for claim in script.EXPERIMENT.claims}


def found(method, percent, **more):
    return rows({(name, ""): value for name, value in percent.items()}, table=ADULT, method=method, **more)


def test_limits_are_one_in_k():
    measured = Rows.of(
        row
        for k, equal, nearest in ((2, 50.0, 50.01), (5, 19.0, 21.0), (10, 10.0, 9.0))
        for row in found(script.PUBLISHED, {"mrl": equal, "srl": nearest}, level=k)
    )
    by_equal, by_meaning = (judge(CLAIMS[key], measured)[0] for key in ("limit-by-equal-values", "limit-by-meaning"))
    assert (by_equal.holds, by_equal.cases) == (3, 3)  # at most, so exactly one in k is allowed
    assert (by_meaning.holds, by_meaning.cases) == (1, 3)
    assert not judge(CLAIMS["limit-if-unswapped"], measured)


def test_all_intruders_count_if_unswapped():
    limits = dict.fromkeys(script.INTRUDERS, 4.0) | {"linked_by_method": 6.0}
    (one,) = judge(CLAIMS["limit-if-unswapped"], Rows.of(found(script.UNSWAPPED, limits, level=20)))
    assert (one.holds, one.cases) == (0, 1)
    (one,) = judge(CLAIMS["limit-if-unswapped"], Rows.of(found(script.UNSWAPPED, limits, level=10)))
    assert (one.holds, one.cases) == (1, 1)


def test_repeated_tuples_are_all_judged():
    for name in (f"{script.PUBLISHED}, 1 copy", f"{script.UNSWAPPED}, 25 copies"):
        (one,) = judge(CLAIMS["limit-if-tuples-repeat"], Rows.of(found(name, {"mrl": 30.0}, level=50)))
        assert one.cases == 1
    # With 25 copies, one in 10 would not be found without swapping either.
    trivial = Rows.of(found(f"{script.PUBLISHED}, 25 copies", {"mrl": 4.0}, level=10))
    assert not judge(CLAIMS["limit-if-tuples-repeat"], trivial)


def test_tuples_are_repeated_equally_often():
    data = script.repeated(public_tables(Setting())[ADULT], copies=5, size=100, seed=0)
    assert data.table.counts.tolist() == [5] * 20


def test_rare_matches():
    t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    data = om.Microdata(pl.DataFrame({"a": ["ache", "ache", "colic", "colic", "pain"]}), {"a": om.Nominal(t)})
    result = om.RankSwapping(1).mask(data, seed=0)
    figures = script.protected(data, result, om.evaluate(data, result, attacks=False))
    # With k = 1 no released value is shared by fewer than 1.
    assert figures[script.RARE, ""] == 0
    result = om.RankSwapping(2).mask(data, seed=0)
    kept = result.frame["a"].to_list()[4] == "pain"
    figures = script.protected(data, result, om.evaluate(data, result, attacks=False))
    assert figures[script.RARE, ""] == pytest.approx(100 if kept else 0)  # only pain is shared by fewer than 2
