"""Many methods on one table: the tidy table, the frontier, going on after an interruption."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask.comparison.results import MEASURES, UNBEATEN
from ontomask.errors import MaskingError, OntomaskError

from support.errors import raises

TAXONOMY = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")])
METHODS = [om.PRAM(stay=0.9), om.PRAM(stay=0.5), om.NaiveDistortion()]


def data(values=("ache", "colic", "fever") * 4):
    frame = pd.DataFrame({"symptom": list(values)})
    return om.Microdata(frame, {"symptom": om.Nominal(TAXONOMY, domain="symptom")})


def test_one_row_a_run_with_the_figures_of_evaluate():
    table = om.compare(data(), METHODS, seeds=[4, 7], jobs=1).to_frame()
    assert table.select("method", "seed").rows() == [(repr(m), s) for m in METHODS for s in (4, 7)]
    assert set(MEASURES) <= set(table.columns)
    score = om.evaluate(data(), METHODS[1].mask(data(), seed=7))
    row = table.row(3, named=True)
    assert row["loss_percent"] == score.loss_percent
    assert (row["srl"], row["mrl"], row["rl"], row["k"]) == (score.srl, score.mrl, score.rl, score.k)
    assert row["rmse"] == score.rmse["symptom"]
    assert row["all_linked"] == score.all_columns.linked
    assert row["error"] is None
    # Intruders who know the method attack the first seed.
    assert table["worst"].is_null().to_list() == [False, True] * len(METHODS)
    first = om.evaluate(data(), METHODS[1].mask(data(), seed=4))
    assert (table["worst"][2], table["recovered"][2]) == (first.worst, first.recovered)


@pytest.mark.slow
def test_processes_give_the_same():
    alone = om.compare(data(), METHODS, seeds=2, jobs=1).to_frame().drop("seconds")
    together = om.compare(data(), METHODS, seeds=2, jobs=2).to_frame().drop("seconds")
    assert alone.equals(together)


def test_summary_and_frontier():
    rows = [("a", 10, 1.0), ("a", 12, 3.0), ("b", 5, 5.0), ("c", 20, 4.0), ("d", 5, 6.0)]
    blank = dict.fromkeys(MEASURES)
    found = om.Comparison(
        tuple(
            blank
            | {
                "method": f"M(x='{m}')",
                "family": "M",
                "seed": i,
                "srl": s,
                "worst": s,
                "loss_percent": loss,
                "error": None,
            }
            for i, (m, s, loss) in enumerate(rows)
        )
    )
    first = found.summary().row(0, named=True)
    assert (first["runs"], first["srl"], first["srl_least"], first["srl_most"]) == (2, 11, 10, 12)
    assert found.frontier() == ["M(x='b')", "M(x='a')"]
    assert "worst intruder" in found.figure().svg
    with raises(MaskingError, parameter="risk"):
        found.frontier(risk="risk")


def test_labels_of_the_map_are_the_parameters_of_the_methods():
    svg = om.compare(data(), [om.PRAM(stay=0.5), om.Suppression(2)], seeds=1, jobs=1).figure().svg
    assert "stay=0.5" in svg
    assert "PRAM(stay=0.5)" not in svg


def test_a_method_that_refuses_is_a_result():
    table = om.compare(data(("ache", "ache")), METHODS, seeds=1, jobs=1)
    assert table.to_frame()["error"].is_null().to_list() == [True, True, False]
    assert table.summary().select("runs", "failed").rows() == [(1, 0), (1, 0), (1, 1)]


def made(*rows):
    """A comparison of runs (method, seed, columns, SRL, loss, error)."""
    return om.Comparison(
        tuple(
            dict.fromkeys(MEASURES)
            | {"method": m, "family": "M", "seed": seed, "columns": columns, "srl": srl, "loss_percent": loss}
            | {"worst": srl, "error": error}
            for m, seed, columns, srl, loss, error in rows
        )
    )


def test_runs_that_failed_are_counted_and_keep_a_method_off_the_frontier():
    reason = "2 of 9 groups are short."
    found = made(
        ("M(x=1)", 0, 2, 1.0, 1.0, None),
        ("M(x=1)", 1, 2, None, None, reason),
        ("M(x=1)", 2, 2, None, None, "3 of 9 groups are short."),
        *(("M(x=2)", seed, 2, 5.0, 5.0, None) for seed in range(3)),
        *(("M(x=3)", seed, 2, None, None, reason) for seed in range(3)),
    )
    assert found.summary().select("method", "runs", "failed", "srl").rows() == [
        ("M(x=1)", 3, 2, 1.0),
        ("M(x=2)", 3, 0, 5.0),
        ("M(x=3)", 3, 3, None),
    ]
    assert found.frontier() == ["M(x=2)"]
    assert [note.code for note in found.notes] == ["runs-failed"] * 2
    assert [(note.values["method"], note.values["failed"]) for note in found.notes] == [("M(x=1)", 2), ("M(x=3)", 3)]
    assert all(note.values["reason"] == reason for note in found.notes)
    assert repr(found) == "<Comparison of 3 methods in 9 runs, 5 of them failed>"


def test_figures_of_other_columns_beat_nobody():
    found = made(("M(x=1)", 0, 2, 1.0, 1.0, None), ("M(x=2)", 0, 3, 5.0, 5.0, None), ("M(x=3)", 0, None, 6, 4.0, None))
    assert found.frontier() == ["M(x=2)", "M(x=3)"]
    (note,) = found.notes
    assert note.code == "fewer-columns"
    assert (note.values["method"], note.values["columns"], note.values["most"]) == ("M(x=1)", 2, 3)
    # Where whoever masks more of them fails, the others are compared with each other.
    others = made(("M(x=1)", 0, 2, 1.0, 1.0, None), ("M(x=2)", 0, 3, None, None, "no"))
    assert (others.frontier(), len(others.notes)) == (["M(x=1)"], 1)
    assert om.compare(data(), METHODS[:1], seeds=1, jobs=1).rows[0]["columns"] == 1


def test_a_comparison_is_printed_and_shown_in_a_notebook():
    found = made(
        ("M(x='a')", 0, 1, 2.5, 12.5, None),
        ("M(x='<b>')", 0, 1, 1.0, 20.0, None),
        ("M(x='<b>')", 1, 1, None, None, "no < 3"),
    )
    heading, first, second, *rest = str(found).splitlines()
    assert all(name in heading for name in ("method", "loss L (%)", "worst link (%)", "SRL link (%)", "k all"))
    assert first.split() == ["*", "M(x='a')", "12.5", "2.5", "2.5", "—", "—", "—", "1"]
    assert second.split() == ["M(x='<b>')", "20", "1", "1", "—", "—", "—", "1", "of", "2"]
    assert rest == [f"*: {UNBEATEN}", f"Note: {found.notes[0]}"]
    html = found._repr_html_()
    assert "<td style='text-align:right'>1 of 2</td>" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "no &lt; 3" in html
    assert html.rstrip().endswith("</svg>")
    nothing = made(("M(x='a')", 0, 1, None, None, "no"))
    assert "<svg" not in nothing._repr_html_()
    assert "could not mask" in str(nothing)


def test_it_goes_on_after_an_interruption(tmp_path, monkeypatch):
    journal = tmp_path / "runs.jsonl"
    calls = []
    module = sys.modules["ontomask.comparison.compare"]
    run = module._run

    def interrupted(data, key, method, seed, options):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append((method, seed))
        return run(data, key, method, seed, options)

    monkeypatch.setattr(module, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        om.compare(data(), METHODS, seeds=2, jobs=1, journal=journal)
    assert len(journal.read_text().splitlines()) == 4
    with journal.open("a") as file:
        file.write('{"method": "cut of')
    calls.clear()
    monkeypatch.setattr(module, "_run", lambda *a: calls.append(a) or run(*a))
    again = om.compare(data(), METHODS, seeds=2, jobs=1, journal=journal)
    assert len(calls) == 3
    assert (
        again.to_frame().drop("seconds").equals(om.compare(data(), METHODS, seeds=2, jobs=1).to_frame().drop("seconds"))
    )
    assert [json.loads(line) for line in journal.read_text().splitlines()]
    assert "ache" not in journal.read_text()


def test_without_attacks_methods_are_compared_by_semantic_linkage():
    found = om.compare(data(), METHODS, seeds=1, jobs=1, attacks=False)
    assert found.to_frame()["worst"].is_null().all()
    assert found.risk == "srl"
    assert found.frontier() == found.frontier("srl")
    assert "semantic linkage" in found.figure().svg
    assert om.compare(data(), METHODS, seeds=1, jobs=1).risk == "worst"


def test_a_run_of_the_journal_that_was_not_attacked_is_done_again(tmp_path):
    journal = tmp_path / "runs.jsonl"
    om.compare(data(), METHODS[:1], seeds=[0, 1], jobs=1, journal=journal)
    again = om.compare(data(), METHODS[:1], seeds=[1, 0], jobs=1, journal=journal)
    assert again.rows[0]["worst"] is not None
    assert again.frontier() == [repr(METHODS[0])]


def test_a_journal_of_something_else_is_refused(tmp_path):
    journal = tmp_path / "runs.jsonl"
    om.compare(data(), METHODS[:1], seeds=1, jobs=1, journal=journal)
    with raises(MaskingError, parameter="journal", code="other-table"):
        om.compare(data(("ache", "colic")), METHODS[:1], seeds=1, jobs=1, journal=journal)
    with raises(MaskingError, parameter="journal", code="other-table"):
        om.compare(data(), METHODS[:1], seeds=1, jobs=1, journal=journal, distance="path")
    journal.write_text("symptom\nache\n")
    with raises(MaskingError, parameter="journal", code="not-a-journal"):
        om.compare(data(), METHODS[:1], seeds=1, jobs=1, journal=journal)
    assert journal.read_text() == "symptom\nache\n"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_table_is_saved(tmp_path, ending):
    found = om.compare(data(), METHODS[:1], seeds=2, jobs=1)
    found.save(tmp_path / f"runs.{ending}")
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet}[ending](tmp_path / f"runs.{ending}")
    assert read["srl"].to_list() == found.to_frame()["srl"].to_list()


@pytest.mark.parametrize(
    ("methods", "options", "parameter"),
    [
        ([], {}, "methods"),
        (["Recoding"], {}, "methods"),
        ([om.PRAM(), om.PRAM()], {}, "methods"),
        (METHODS, {"seeds": 0}, "seeds"),
        (METHODS, {"seeds": [1, 1]}, "seeds"),
        (METHODS, {"seeds": [-1]}, "seeds"),
        (METHODS, {"seeds": 2.5}, "seeds"),
        (METHODS, {"jobs": 0}, "jobs"),
    ],
)
def test_what_cannot_be_compared_is_an_error(methods, options, parameter):
    with raises(MaskingError, parameter=parameter):
        om.compare(data(), methods, **options)


def test_a_distance_that_there_is_none_of_is_said_before_anything_runs():
    with raises(OntomaskError, values=("nope",), parameter="name"):
        om.compare(data(), METHODS, seeds=1, jobs=1, distance="nope")


def test_methods_that_differ_in_what_they_hide_are_told_apart(tmp_path):
    stays, swaps, journal = (
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
        tmp_path / "runs.jsonl",
    )
    words = sorted(set(data().frame["symptom"]))
    methods = [om.PRAM(matrices={"symptom": (words, matrix)}) for matrix in (stays, swaps)]
    found = om.compare(data(), methods, seeds=1, jobs=1, journal=journal)
    assert [row["method"] for row in found.rows] == ["PRAM(stay=0.8, matrices=…)", "PRAM(stay=0.8, matrices=…, #2)"]
    assert [found.method(row["method"]) for row in found.rows] == methods
    assert found.rows[0]["semantic_loss"] == 0 < found.rows[1]["semantic_loss"]
    assert not any(word in journal.read_text() for word in words)
    # The same name in another comparison is another method.
    again = om.compare(data(), methods[1:], seeds=1, jobs=1, journal=journal)
    assert again.rows[0]["semantic_loss"] == found.rows[1]["semantic_loss"]
    with raises(MaskingError, parameter="methods"):
        om.compare(data(), [methods[0], om.PRAM(matrices={"symptom": (words, stays)})], seeds=1)


def test_seeds_of_numpy_can_be_noted(tmp_path):
    found = om.compare(data(), METHODS[:1], seeds=np.arange(2), jobs=1, journal=tmp_path / "runs.jsonl")
    assert [row["seed"] for row in found.rows] == [0, 1]
    assert [path.name for path in tmp_path.iterdir()] == ["runs.jsonl"]


def test_equals_are_both_on_the_frontier_and_more_k_is_better():
    rows = [("a", 2, 5.0, 1.0), ("b", 2, 5.0, 1.0), ("c", 9, 7.0, 3.0), ("d", 5, 8.0, 4.0)]
    blank = dict.fromkeys(MEASURES)
    found = om.Comparison(
        tuple(
            blank | {"method": m, "family": "M", "seed": 0, "k": k, "worst": srl, "loss_percent": loss, "error": None}
            for m, k, srl, loss in rows
        )
    )
    assert found.frontier() == ["a", "b"]
    assert found.frontier(risk="k") == ["c", "a", "b"]
    with pytest.raises(MaskingError):
        found.method("a")


def test_processes_start_when_runs_turn_out_to_be_long(monkeypatch):
    module = sys.modules["ontomask.comparison.compare"]
    handed_over = []

    def in_processes(data, runs, options, jobs):
        handed_over.extend(runs)
        return (module._run(data, *run, options) for run in runs)

    monkeypatch.setattr(module, "_run_in_processes", in_processes)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    assert len(om.compare(data(), METHODS, seeds=2)) == 6
    assert handed_over == []
    clock = iter(range(0, 10**6, 1000))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    assert len(om.compare(data(), METHODS, seeds=2)) == 6
    # not after the first, which may have compiled
    assert [run[1:] for run in handed_over] == [(METHODS[1], 0), (METHODS[1], 1), (METHODS[2], 0), (METHODS[2], 1)]
