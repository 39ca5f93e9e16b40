from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ontomask as om
from experiments.framework import claims
from experiments.framework.claims import (
    OTHER,
    VALUE,
    Claim,
    Verdict,
    at_once,
    compared,
    computed,
    grows,
    judge,
    largest,
    less,
    margins,
    smallest,
)
from experiments.framework.measurements import Rows, figures, measure, rows
from experiments.framework.pages import Experiment, by_level, charts, write
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, draw, other_ties, public_tables, thesis_adult, under
from ontomask.figures import Line, LineChart

# Losses by method and level, one value per seed.
LOSSES = {("a", 2): (1.0, 1.0, 1.0), ("a", 5): (3.0, 4.0, 5.0), ("b", 2): (2.0, 2.0, 2.0), ("b", 5): (4.0, 5.0, 2.0)}


def made(values, name="loss", table="here"):
    return Rows.of(
        row
        for (method, level), by_seed in values.items()
        for seed, value in enumerate(by_seed)
        for row in rows({(name, ""): value}, table=table, method=method, level=level, seed=seed)
    )


def judged(rule, measured):
    return judge(Claim("key", "text", "ours", rule), measured)


def test_a_case_holds_if_its_mean_margin_is_above_zero():
    (one,) = judged(less("loss", "a", "b"), made(LOSSES))
    # At level 2 always 1 less. At level 5 by 1, 1 and -3, which is more on average.
    assert (one.table, one.cases, one.holds, one.clear) == ("here", 2, 1, 1)
    assert one.share == 1 / 2
    # Without the third seed in a draw, which has a chance of 8/27, both cases hold.
    assert (one.low, one.high) == (0.5, 1.0)
    assert one.verdict == Verdict.OPEN
    assert str(one) == "open (1 of 2)"


def test_verdicts_follow_the_interval_of_the_share():
    steady = made({("a", 2): (1, 1), ("a", 5): (1, 1), ("b", 2): (2, 2), ("b", 5): (2, 2)})
    assert [one.verdict for one in judged(less("loss", "a", "b"), steady)] == [Verdict.FOUND]
    assert [one.verdict for one in judged(less("loss", "b", "a"), steady)] == [Verdict.NOT_FOUND]
    # Half of the cases, whatever seeds are drawn.
    half = made({("a", 2): (1, 1), ("a", 5): (3, 3), ("b", 2): (2, 2), ("b", 5): (2, 2)})
    assert [str(one) for one in judged(less("loss", "a", "b"), half)] == ["half found (1 of 2)"]
    assert claims.counts(less("loss", "a", "b"), half) == {"here": "1 of 2"}
    levels = {("a", k): (1, 1) for k in (2, 3, 4)} | {
        ("b", k): (2 if k > 2 else 0, 2 if k > 2 else 0) for k in (2, 3, 4)
    }
    (one,) = judged(less("loss", "a", "b"), made(levels))
    assert (one.verdict, one.low, one.high) == (Verdict.MOSTLY, 2 / 3, 2 / 3)


def test_intervals_are_as_wide_as_student_asks_for():
    # 4.303 / 1.960 · √(3/2): with three seeds, t(0.975, 2) in place of the normal quantile.
    assert claims._spread(np.array([1, 3, 1000])) == pytest.approx([1, 2.689, 1.002], abs=1e-3)
    rng = np.random.default_rng(0)
    for seeds in (3, 5, 10):
        found = margins((f"t{t}", "case", s, m) for t in range(400) for s, m in enumerate(rng.normal(size=seeds)))
        decided = [judged(lambda _, found=found, t=t: found.filter(table=f"t{t}"), made(LOSSES))[0].verdict
                   != Verdict.OPEN for t in range(400)]  # fmt: skip
        # Nothing is true of pure chance: about one in twenty is decided all the same.
        assert np.mean(decided) < 0.09, seeds


def test_ties_hold_only_if_that_is_claimed():
    equal = made({("a", 2): (1.0,), ("b", 2): (1.0 + 1e-12,)})
    assert judged(less("loss", "a", "b"), equal)[0].holds == 0
    assert judged(less("loss", "a", "b", or_equal=True), equal)[0].holds == 1
    assert judged(less("loss", "b", "a", or_equal=True), equal)[0].holds == 1


def test_factors_and_levels():
    one = made({("a", 2): (1.0,), ("b", 2): (1.5,), ("a", 5): (9.0,), ("b", 5): (1.0,)})
    assert judged(less("loss", "a", "b", factor=0.5), one)[0].holds == 0
    assert judged(less("loss", "a", "b", factor=0.7, levels=(2,)), one)[0].holds == 1
    assert judged(less("loss", "a", "b"), one)[0].cases == 2


def test_a_method_without_levels_is_compared_at_every_level():
    one = made({("a", 2): (1.0,), ("a", 5): (3.0,), ("b", None): (2.0,)})
    (found,) = judged(less("loss", "a", "b"), one)
    assert (found.cases, found.holds) == (2, 1)
    assert one.mean("loss", "b", 5, "here") == 2.0


def test_the_smallest_is_smaller_than_each_other():
    one = made({("a", 2): (1, 3), ("b", 2): (2, 2.5), ("c", 2): (9, 9)})
    # b is 0.25 more than a on average, but less with the second seed.
    (found,) = judged(smallest("loss", "a", ("b", "c")), one)
    assert (found.cases, found.holds) == (1, 1)
    (found,) = judged(largest("loss", "c", ("a", "b", "c")), one)
    assert (found.cases, found.holds) == (1, 1)
    (found,) = judged(largest("loss", "b", ("a", "c")), one)
    assert (found.cases, found.holds) == (1, 0)


def test_another_rival_may_be_ahead_in_each_draw():
    # Each rival is ahead with another third of the seeds.
    many = {rival: [0.5 if seed % 3 == third else 2 for seed in range(12)] for third, rival in enumerate("bcd")}
    one = made({(name, 2): tuple(values) for name, values in {"a": 12 * [1], **many}.items()})
    # Each rival alone is behind in nearly all draws.
    alone, both = (judged(smallest("loss", "a", rivals), one)[0] for rivals in ("b", tuple(many)))
    assert (alone.verdict, both.verdict) == (Verdict.FOUND, Verdict.OPEN)


def test_an_order_holds_if_all_its_parts_hold():
    one = made({("a", 2): (1,), ("b", 2): (2,), ("c", 2): (3,), ("a", 5): (1,), ("b", 5): (2,), ("c", 5): (1.5,)})
    (order,) = judged(at_once(less("loss", "a", "b"), less("loss", "b", "c")), one)
    assert (order.holds, order.cases) == (1, 2)


def test_margins_of_other_kinds():
    (close,) = judged(compared("loss", "a", "b", 1.5 - (OTHER - VALUE).abs()), made(LOSSES))
    assert (close.cases, close.holds) == (2, 1)
    (below,) = judged(computed(2.5 - pl.col("loss")), made(LOSSES))
    assert (below.cases, below.holds) == (4, 2)
    (growing,) = judged(grows(computed(pl.col("loss"))), made(LOSSES))
    assert (growing.cases, growing.holds) == (2, 2)


def test_rows_are_selected():
    both = Rows(pl.concat([made(LOSSES).frame, made({("b", None): (1.0,)}, "srl", "there").frame]))
    assert both.where(tables="there").methods() == ("b",)
    assert both.where(pl.col("value") > 3, methods=("a", "b"), measures=["loss"]).levels() == (5,)
    # A row without a level belongs to all levels.
    assert len(both.where(methods="b", levels=2).frame) == 4
    wide = both.wide(names=("loss", "srl", "kl"))
    assert wide.filter(pl.col("level").is_null()).select("loss", "srl", "kl").rows() == [(None, 1.0, None)]


def test_a_chart_for_each_table():
    both = Rows(pl.concat([made(LOSSES).frame, made({("b", 2): (1.0,)}, table="there").frame]))
    one, other = charts(both, "loss", ("a", "b"), title="Loss, {}")
    assert (one.title, [line.name for line in one.lines]) == ("Loss, here", ["a", "b"])
    assert (other.title, [(line.name, line.style) for line in other.lines]) == ("Loss, there", [("b", 1)])


def test_cases_may_lack_seeds():
    found = margins(iter([("t", "x", 0, 1.0), ("t", "x", 1, 1.0), ("t", "y", 0, -1.0)]))
    one = Claim("key", "text", "ours", lambda _: found)
    (judgement,) = judge(one, made(LOSSES))
    assert (judgement.cases, judgement.holds) == (2, 1)


def test_rows_are_the_same_after_writing(tmp_path):
    one = made(LOSSES)
    one.write(tmp_path / "rows.csv")
    assert Rows.read(tmp_path / "rows.csv").frame.equals(one.frame)
    assert one.text("loss", "a", 5, "here") == "4.00 ± 1.00"
    assert one.text("loss", "c", 5, "here") == "—"
    line = one.line("a", "loss", "a", "here")
    assert (line.y, line.low, line.high) == ((1, 4), (1, 3), (1, 5))
    assert by_level(one, "loss", methods=["a", "c"]).splitlines()[2:] == ["| a | 1.00 | 4.00 ± 1.00 |"]


def test_measurements_are_those_of_the_evaluation():
    data = draw(public_tables(Setting())[ADULT], 100, seed=1)
    measured = Rows.of(measure("t", data, {"m": om.Recoding}, (2,), (0,)))
    score = om.evaluate(data, om.Recoding(2).mask(data, seed=0), attacks=False)
    assert measured.mean("loss", "m", 2, "t") == pytest.approx(score.loss_percent)
    assert measured.mean("rmse", "m", 2, "t", "B") == pytest.approx(score.rmse["native-country"])
    assert measured.mean("sdcor", "m", 2, "t", "AB") == pytest.approx(next(iter(score.sdcor.values())).after)
    kept = Rows.of(measure("t", data, {"m": om.Recoding}, (2,), (0,), only=("srl",)))
    assert set(kept.frame["measure"]) == {"srl"}
    assert figures(score)["k", ""] == score.k


def test_other_ties_are_the_same_table():
    data = draw(public_tables(Setting())[ADULT], 300, seed=0)
    other = other_ties(data, seed=3)
    assert sorted(other.table.counts) == sorted(data.table.counts)
    before, after = (om.evaluate(one, one.frame, attacks=False).utility for one in (data, other))
    for old, new in zip(before.attributes.values(), after.attributes.values(), strict=True):
        assert new.variance.before == pytest.approx(old.variance.before)
    losses = {
        round(om.evaluate(one, om.Microaggregation(3, variant="sa_mdav").mask(one), attacks=False).loss_percent, 6)
        for one in (other_ties(data, seed) for seed in range(4))
    }
    assert len(losses) > 1, "ties fall in another order"


def test_the_thesis_table_is_mapped_as_printed():
    data = thesis_adult()
    assert data.mapping["occupation"].concepts["Sales"] == "gross_sales.n.01"
    assert len(data) == 30_162 - 18
    assert {column.distance.name for column in data.quasi_identifiers.values()} == {"log_sc"}


def test_samples_and_other_distances():
    adult = public_tables(Setting())[ADULT]
    sample = draw(adult, 50, seed=1)
    assert sample.frame.equals(draw(adult, 50, seed=1).frame)
    assert not sample.frame.equals(draw(adult, 50, seed=2).frame)
    other = under(sample, "path")
    assert other.frame.equals(sample.frame)
    assert {column.distance.name for column in other.quasi_identifiers.values()} == {"path"}


TEXT = """
title = "Title"
question = "Why?"
needs = [{needs}]
caption = "Of {{records}} records."
answer = '''
Because
of {{loss:.0f}}.
'''
setup = "With care. {{rule}}"

[claims.a-less]
text = "a loses less"
source = "Martínez 2012"
why = "It is a."
glance = "a is less"
"""


def experiment(folder, needs="", rules=("a-less",)):
    (folder / "module.toml").write_text(TEXT.format(needs=needs), encoding="utf-8")
    return Experiment(
        str(folder / "module.py"),
        lambda _: [],
        lambda _: LineChart([Line("a", [1, 2], [1, 2])]).figure(),
        lambda measured: {"loss": measured.mean("loss", "a", 2, "here")},
        dict.fromkeys(rules, less("loss", "a", "b")),
        lambda measured: {"Loss": by_level(measured, "loss")},
        {"records": (5, 10)},
    )


def test_a_page_answers_only_with_complete_data(tmp_path):
    one = experiment(tmp_path)
    complete = one.page("name", made(LOSSES), complete=True)
    top, text = complete.split("\n\n# ", 1)
    assert top == "---\nhide: [toc]\n---"
    assert text.startswith("Title\n\n**Why?**\n\n![Title](figures/name.svg)\n\nOf 5, 10 records.\n\nBecause of 1.\n")
    assert "<summary>The claims and their verdicts: 1 open</summary>" in complete
    # Numbers and percent signs are not parted.
    assert "| 1 | **a loses less** (Martínez 2012)<br>It is a. | open (1 of 2, 50–100\N{NO-BREAK SPACE}%) |" in complete
    assert complete.endswith(
        "Made by `make experiments EXPERIMENTS=name` ([what it needs](index.md#run-them-yourself))\n"
    )
    # What all pages may show.
    assert "With care. The papers' register is not public" in complete
    incomplete = one.page("name", made(LOSSES), complete=False)
    assert "Because of" not in incomplete
    assert "It is a." not in incomplete


def test_every_claim_has_a_text_and_a_rule(tmp_path):
    with pytest.raises(ValueError, match=r"text and rules differ in \{'b-less'\}"):
        _ = experiment(tmp_path, rules=("a-less", "b-less")).claims


def test_pages_without_all_their_data_stay_out_of_the_docs(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.framework.pages.DOCS", tmp_path / "docs")
    monkeypatch.setattr("experiments.framework.pages.INCOMPLETE", tmp_path / "build")
    one = experiment(tmp_path)
    assert write("page", one, made(LOSSES), Setting()) == tmp_path / "docs"
    assert write("page", one, made(LOSSES), Setting(quick=True)) == tmp_path / "build"
    needy = experiment(tmp_path, needs='"diabetes130"')
    assert write("page", needy, made(LOSSES), Setting()) == tmp_path / "build"
    assert write("page", needy, made(LOSSES), Setting(), tmp_path / "there") == tmp_path / "there"
    assert (tmp_path / "there" / "figures" / "page.svg").is_file()
    verdicts = pl.read_csv(tmp_path / "there" / "results" / "page_verdicts.csv").to_dicts()
    assert [(one["key"], one["verdict"], one["holds"], one["cases"]) for one in verdicts] == [("a-less", "open", 1, 2)]


def test_data_are_found(tmp_path):
    with pytest.raises(SystemExit, match=r"none of the data: diabetes130\.csv\.gz, diabetic_data"):
        Setting(tmp_path)
    file = tmp_path / "diabetes130.csv.gz"
    file.touch()
    assert Setting(tmp_path).diabetes130 == Setting(file).diabetes130 == file
    assert Setting(tmp_path).mondo is None
    (tmp_path / "mondo.obo").touch()
    assert Setting(file).mondo == tmp_path / "mondo.obo"
    (tmp_path / "wordnet").mkdir()
    (tmp_path / "wordnet" / "data.noun").touch()
    assert Setting(tmp_path).wordnet == tmp_path / "wordnet"
    file.unlink()
    assert Setting(tmp_path).diabetes130 is None
    assert Setting(tmp_path).arx_adult is None


def test_quick_runs_are_short():
    assert (list(Setting(quick=True).seeds()), Setting(quick=True).size(1000)) == ([0, 1], 150)
    assert Setting(quick=True).levels((2, 5, 10)) == (2, 10)
    assert Setting(quick=True).levels((None,)) == (None,)
    assert Setting().levels((2, 5, 10)) == (2, 5, 10)
