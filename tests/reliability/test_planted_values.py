"""Plant rare values with awkward characters in a table, and look for them in all output.

Each planted value is the root of its own column's domain, and three records have it as their value. So it is what
notes, distances, typical values, mappings and errors would name first. ``ontomask map``, ``init``, job files and plans
may name values, since their reader has to repair the mapping; nothing else does.
"""

from __future__ import annotations

import csv
import json
import logging
import stat
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.base.notes import Cells
from ontomask.cli.commands import app
from ontomask.microdata.planvalues import Cell
from ontomask.report import build_report

from support.errors import raises

RECORDS, FEW = 120, 3
SEED = "918273645546372819001"
# As many as it takes for the root, which lies between them, to be the typical value.
WORDS = ("ache", "rash", "itch", "colic")


@dataclass(frozen=True)
class Planted:
    """A value, and the part of it that no escaping changes."""

    value: str
    mark: str

    @property
    def concept(self) -> str:
        """The value as a concept id, which must be on one line."""
        return self.value.replace("\n", " ").replace("\r", " ")


def _planted(**values: str) -> dict[str, Planted]:
    marks = {name: f"zqx{number:02}k" for number, name in enumerate(values)}
    return {name: Planted(text.replace("MARK", marks[name]), marks[name]) for name, text in values.items()}


PLANTED = _planted(
    plain="MARK",
    single_quotes="MARK's own",
    both_quotes='MARK\'s "own"',
    no_break_space="MARK\u00a0x",
    zero_width_space="MARK\u200bx",
    tab="MARK\tx",
    newline="MARK\nx",
    right_to_left="MARK\u202ex",
    escape_sequence="MARK\x1b[31mx",
    very_long="MARK" + "x" * 3000,
    html='<b title="MARK">&amp;</b><script>MARK</script>',
    toml='MARK"""\']\n[columns]',
    regex="MARK(.*[+?\\",
    template="MARK{0} {column!r} %s $x",
)


@pytest.fixture(params=PLANTED.values(), ids=PLANTED.keys())
def planted(request) -> Planted:
    return request.param


# Every command, on one table with all planted values


def _write_csv(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)


def _job(name: str, masked: str = "masked.parquet") -> str:
    columns = "\n".join(
        f'{column} = {{ role = "quasi-identifier", kind = "nominal", taxonomy = "{column}.csv", '
        f'mapping = "{column}_words.csv" }}'
        for column in PLANTED
    )
    matrices = ", ".join(f"{column} = [[{json.dumps(one.value)}], [[1.0]]]" for column, one in PLANTED.items())
    return f"""
input.path = "data.parquet"
method = {{ name = "{name}" }}
[columns]
{columns}
[output]
masked = "{masked}"
report = ["{name}.html", "{name}.json", "{name}.txt"]
[compare]
seeds = 1
methods = [
  {{ name = "Suppression", k = 5, mode = "cells" }}, {{ name = "PRAM" }},
  {{ name = "PRAM", matrices = {{ {matrices} }} }},
  {{ name = "CorrelatedNoise", reference = "pair" }},
  {{ name = "Generalisation", k = 5, hierarchies = {{ plain = "hierarchy.csv" }} }},
]
"""


def _folder(folder: Path) -> Path:
    table = {column: _column(one, shift) for shift, (column, one) in enumerate(PLANTED.items())}
    pl.DataFrame(table).write_parquet(folder / "data.parquet")
    for column, one in PLANTED.items():
        _write_csv(folder / f"{column}.csv", [["child", "parent"], *([word, one.concept] for word in WORDS)])
        _write_csv(folder / f"{column}_words.csv", [["value", "concept"], [one.value, one.concept]])
    (folder / "hierarchy.csv").write_text("\n".join(f"{word};*" for word in WORDS))
    suppressing = _job("Suppression").replace(
        '{ name = "Suppression" }', '{ name = "Suppression", k = 5, mode = "cells" }'
    )
    (folder / "suppression.toml").write_text(suppressing)
    (folder / "pram.toml").write_text(_job("PRAM", "pram.csv"))
    lacking = 'method = { name = "Generalisation", k = 5, hierarchies = { plain = "hierarchy.csv" } }'
    refused = _job("none", "none.csv").replace('method = { name = "none" }', lacking)
    (folder / "refused.toml").write_text(refused)
    return folder


def _column(planted: Planted, shift: int = 0) -> list[str]:
    values = [WORDS[(i + shift) % 4] for i in range(RECORDS)]
    for i in range(FEW):
        values[(7 * shift + 13 * i) % RECORDS] = planted.value
    return values


COMMANDS: dict[str, tuple[list[str], int]] = {
    "mask": (["mask", "suppression.toml", "--seed", SEED], 0),
    "mask --json": (["mask", "pram.toml", "--seed", SEED, "--json"], 0),
    "mask refused": (["mask", "refused.toml"], 2),
    "evaluate": (["evaluate", "suppression.toml"], 0),
    "evaluate --json": (["evaluate", "pram.toml", "--json", "--report", "again.json"], 0),
    "evaluate --exposed": (["evaluate", "pram.toml", "--report", "exposed.html", "--exposed"], 0),
    "evaluate the wrong table": (["evaluate", "pram.toml", "wrong.csv"], 2),
    "compare": (["compare", "pram.toml", "--journal", "runs.jsonl", "--out", "runs.csv", "--processes", "1"], 0),
    "compare --json": (["compare", "pram.toml", "--journal", "runs.jsonl", "--json"], 0),
    "attack": (["attack", "pram.toml"], 0),
    "attack --json": (["attack", "pram.toml", "--json"], 0),
    "advise": (["advise", "pram.toml", "--no-guarantee"], 0),
    "advise --json": (["advise", "pram.toml", "--no-guarantee", "--measure", "--seeds", "1", "--json"], 0),
}
FILES = [
    *(f"{name}.{kind}" for name in ("Suppression", "PRAM") for kind in ("html", "json", "txt")),
    *("again.json", "exposed.html", "runs.jsonl", "runs.csv"),
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> dict[str, str]:
    """The output of every command, and the content of every file that is meant to be read."""
    folder = _folder(tmp_path_factory.mktemp("planted"))
    out: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # A text that no original has may be named, one that few originals have may not.
        wrong = {column: ["no such symptom", *_column(one)[1:]] for column, one in PLANTED.items()}
        pl.DataFrame(wrong).write_csv(folder / "wrong.csv")
        for name, (arguments, code) in COMMANDS.items():
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == code, (name, done.output, done.stderr, done.exception)
            out[name] = done.output + done.stderr
    out |= {name: (folder / name).read_text() for name in FILES}
    out["metadata of the masked file"] = str(pl.read_parquet_metadata(folder / "masked.parquet"))
    out["mode of the journal"] = oct(stat.S_IMODE((folder / "runs.jsonl").stat().st_mode))
    return out


@pytest.mark.parametrize("output", [*COMMANDS, *FILES, "metadata of the masked file"])
def test_no_command_and_no_file_names_it(planted, output, shown):
    assert planted.mark not in shown[output]


def test_map_names_the_values_that_a_hierarchy_lacks(tmp_path, monkeypatch):
    _folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["map", "refused.toml"])
    assert done.exit_code == 1
    (problem,) = [line for line in done.output.splitlines() if "column's 5 values" in line]
    assert f"They are '{PLANTED['plain'].value}'." in problem


def test_the_error_of_a_job_carries_the_values(tmp_path):
    with pytest.raises(om.JobError) as caught:
        om.Job.from_toml(_folder(tmp_path) / "refused.toml").run()
    assert (caught.value.column, caught.value.values) == ("plain", (PLANTED["plain"].value,))
    assert PLANTED["plain"].mark not in "".join(traceback.format_exception(caught.value))


def test_the_commands_say_what_they_are_meant_to_say(shown):
    assert "'plain' are released as (withheld)" in shown["mask"]
    assert "column's 5 values" in shown["mask refused"]
    assert "'no such symptom'" in shown["evaluate the wrong table"]
    assert "PRAM(stay=0.8, matrices=…)" in shown["compare"]
    assert "'plain' has the domain (withheld)" in shown["compare"]
    assert "not named" in shown["evaluate"]
    assert shown["mode of the journal"] == "0o600"


# Python: notes, reports, logs and what objects say of themselves


def _kind(planted: Planted) -> om.Nominal:
    """The domain, which follows from the values, is the planted concept; the ontology goes further up."""
    edges = [*((word, planted.concept) for word in WORDS), (planted.concept, "top"), ("other", "top")]
    return om.Nominal(om.Taxonomy.from_edges(edges), mapping={planted.value: planted.concept})


def _data(planted: Planted) -> om.Microdata:
    values = pd.Series(_column(planted), dtype="category")
    frame = pd.DataFrame({"symptom": values, "age": [30, 31, 32] * (RECORDS // 3)})
    return om.Microdata(frame, {"symptom": _kind(planted), "age": om.Numeric()})


def _one_column(planted: Planted) -> om.Microdata:
    return om.Microdata(pd.DataFrame({"symptom": _column(planted)}), {"symptom": _kind(planted)})


METHODS = [om.Suppression(k=5), om.PRAM(stay=0.3), om.RankSwapping(k=5), om.Microaggregation(k=5)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_no_text_in_python_names_it(planted, method, caplog):
    data = _data(planted)
    with caplog.at_level(logging.DEBUG):
        result = method.mask(data, seed=1)
        score = om.evaluate(data, result)
        report = build_report(data, result, score, exposed=True)
    texts = [report.to_html(), report.to_json(), report.to_text(), str(score), score.to_json(), caplog.text]
    texts += [*result.notes, *score.notes, str(result.guarantee), *(m.meaning for m in score.measures)]
    assert not [text for text in texts if planted.mark in text]
    objects = [data, result, result.data, result.plan, score, score.utility, report, method, data.disclosure_control]
    objects += [data.quasi_identifiers, data.table, data.table.values, result.data.columns, data.mapping]
    objects += [column.kind for column in data.quasi_identifiers.values()]
    objects += [Cell(planted.value), Cells("symptom", [planted.value]), om.Ordinal(["low", planted.value])]
    assert not [type(one) for one in objects if planted.mark in repr(one)]


def test_a_column_of_the_same_name_lets_no_value_through():
    # Three records have "age" as their symptom, and "age" is the root of that column's domain.
    same = Planted("age", "age")
    data, only = _data(same), _one_column(same)
    result = om.Suppression(k=30, mode="cells").mask(only, seed=0)
    (note,) = [note for note in result.notes if note.code == "root-released"]
    assert (note.values["root"].values, note.values["root"].withheld) == ((), 1)
    score = om.evaluate(only, result)
    assert "age" not in score.distances["symptom"]
    assert score.typical["symptom"].code == "typical-value-rare"
    report = build_report(only, result, score)
    assert report.mapping[0].domain == "(withheld)"
    assert "age" not in report.distributions[0].categories
    # Where the table has a column of that name, the column is named, and the value is not.
    result = om.PRAM().mask(data, seed=0)
    both = build_report(data, result, om.evaluate(data, result))
    assert "age" in [column.name for column in both.table.columns]
    assert both.mapping[0].domain == "(withheld)"
    assert not data.disclosure_control.may_name("symptom", "age")
    assert not data.disclosure_control.may_name("symptom", "age (age)"), "a label with its id names the same concept"


# Errors: the values are in a field, not in the message


def _unmapped(planted: Planted) -> None:
    om.Microdata(pd.DataFrame({"x": ["ache", planted.value]}), {"x": om.Nominal(_TWO)})


def _no_number(planted: Planted) -> None:
    om.Microdata(pd.DataFrame({"x": ["1", planted.value]}), {"x": om.Numeric()})


def _no_category(planted: Planted) -> None:
    om.Microdata(pd.DataFrame({"x": ["low", planted.value]}), {"x": om.Ordinal(["low", "high"])})


def _lacking_hierarchy(planted: Planted) -> None:
    h = om.Hierarchy.from_rows([(word, "*") for word in WORDS])
    om.Generalisation(k=2, hierarchies={"symptom": h}).mask(_one_column(planted))


def _single_concept(planted: Planted) -> None:
    t = om.Taxonomy.from_edges([(planted.concept, "top")])
    kind = om.Nominal(t, mapping={planted.value: planted.concept})
    om.UncorrelatedNoise().mask(om.Microdata(pd.DataFrame({"x": [planted.value] * 3}), {"x": kind}))


def _wrong_masked_table(planted: Planted) -> None:
    # A value of the original that only dropped records had, in a table that was taken for the masked one.
    data = om.Microdata(pd.DataFrame({"x": ["ache"] * 9 + [planted.value]}), {"x": om.Nominal(_TWO)}, unmapped="drop")
    om.evaluate(data, pd.DataFrame({"x": ["ache"] * 8 + [planted.value]}))


_TWO = om.Taxonomy.from_edges([("ache", "symptom"), ("rash", "symptom")])
ERRORS: list[Callable[[Planted], None]] = [
    _unmapped,
    _no_number,
    _no_category,
    _lacking_hierarchy,
    _single_concept,
    _wrong_masked_table,
]


@pytest.mark.parametrize("fail", ERRORS, ids=lambda fail: fail.__name__.strip("_"))
def test_no_error_names_it(planted, fail):
    with pytest.raises(om.OntomaskError) as caught:
        fail(planted)
    texts = [str(caught.value), repr(caught.value), "".join(traceback.format_exception(caught.value))]
    assert not [text for text in texts if planted.mark in text]
    assert any(planted.mark in value for value in caught.value.values)
    assert caught.value.column in ("x", "symptom")


def test_pairs_of_different_domains(planted):
    frame = pd.DataFrame({"a": _column(planted), "b": ["ache", "rash"] * (RECORDS // 2)})
    data = om.Microdata(frame, {"a": _kind(planted), "b": om.Nominal(_TWO)})
    with raises(om.MaskingError, values=("a", "b"), parameter="pairs", code="other-domain"):
        om.CorrelatedNoise(reference="pair", pairs=[("a", "b")]).mask(data)


# What is common is named, and what cannot be seen in it is shown


def test_spellings_count_by_their_own_text_and_by_what_they_look_like():
    spellings = ["o'neil syndrome"] * 40 + ["O\u2019Neil\u00a0Syndrome", "o'neil\u200b syndrome", "ONEIL\tSYNDROME"]
    t = om.Taxonomy.from_edges([("o'neil syndrome", "symptom"), ("ache", "symptom")])
    mapping = dict.fromkeys(spellings, "o'neil syndrome")
    frame = pd.DataFrame({"x": [*spellings, *["ache"] * 40, "re\u200bd", "RED", "red "]})
    mapping |= dict.fromkeys(["re\u200bd", "RED", "red"], "ache")
    control = om.Microdata(frame, {"x": om.Nominal(t, mapping=mapping)}).disclosure_control
    assert control.may_name("x", "o'neil syndrome")
    for rare in (*spellings[40:], "red", "Red", "r\u202eed", "\u00a0red"):
        assert not control.may_name("x", rare), rare
    assert not control.may_name("no such column", "ache")


def test_hidden_characters_of_a_common_value_are_shown_as_escapes():
    value = "ache\u202e\u200b\x85\x1b[31m"
    t = om.Taxonomy.from_edges([(value, "symptom"), ("rash", "symptom")])
    data = om.Microdata(pd.DataFrame({"x": [value, "rash"] * 40}), {"x": om.Nominal(t)})
    result = om.PRAM().mask(data, seed=0)
    report = build_report(data, result, om.evaluate(data, result))
    assert value in report.distributions[0].categories
    shown = r"ache\u202e\u200b\u0085\u001b[31m"
    for form in (report.to_html(), report.to_json(), report.to_text()):
        assert shown in form
        assert not set("\u202e\u200b\x85\x1b") & set(form)
    assert json.loads(report.to_json())["distributions"][0]["categories"] == list(report.distributions[0].categories)


def test_plain_text_of_a_method_is_not_shown_in_a_report():
    data = _data(PLANTED["plain"])
    result = om.PRAM().mask(data, seed=0)
    noted = replace(result, notes=("plain text",), guarantee=replace(result.guarantee, text="plain promise"))
    text = build_report(data, noted, om.evaluate(data, result)).to_text()
    assert "plain text" not in text
    assert "plain promise" not in text
