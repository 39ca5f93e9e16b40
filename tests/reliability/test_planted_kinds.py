"""Plant rare values in columns of every kind and role, and look for them in everything that is told about a release.

They are values of their column, cells that the column cannot hold under every policy, names of strata, identifiers of
persons, labels that follow a code, weights and kept cells. Masked tables keep columns as the roles say; texts, reports,
notes, logs and errors name none of these values.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections import Counter
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app
from ontomask.kinds import KINDS
from ontomask.report import build_report

MARK, WEIGHT = "zqx77k", "93817.0625"
PLANTED = {
    "plain": MARK,
    "quotes": f'{MARK}\'s "own"',
    "no_break_space": f"{MARK}\u00a0x",
    "zero_width_space": f"{MARK}\u200bx",
    "tab": f"{MARK}\tx",
    "newline": f"{MARK}\nx",
    "right_to_left": f"{MARK}\u202ex",
    "very_long": MARK + "x" * 3000,
    "html": f'<b title="{MARK}">&amp;</b><script>{MARK}</script>',
    "template": f"{MARK}{{0}} {{column!r}} %s $x",
}
POLICIES = ("error", "keep", "drop", "root", "category")
RECORDS = 120
T = om.Taxonomy.from_edges([(word, "symptom") for word in ("ache", "rash", "itch", "colic")])
MASKED = {
    "sets": (om.ConceptSet(T), ["ache;rash", "rash", "itch;colic", "ache"]),
    "day": (om.Date(), ["2021-03-05", "2021-04-07", "2022-01-01"]),
    "age": (om.Numeric(), ["30", "40", "50", "31"]),
    "grade": (om.Ordinal(["low", "mid", "high"]), ["low", "mid", "high"]),
    "postcode": (om.Prefix(), ["47906", "47907", "46201"]),
    "answer": (om.Category(), ["yes", "no", "never"]),
    "code": (om.Category(), ["a", "b"]),
}
# Concepts are planted in other tests.
assert {type(kind) for kind, _ in MASKED.values()} | {om.Nominal} == set(KINDS.values()), "plant in every kind"
METHODS = [
    om.Microaggregation(3),
    om.Microaggregation(3, by=["ward"]),
    om.Microaggregation(12, by=["ward"]),
    om.Generalisation(3),
    om.Suppression(3, mode="cells"),
    om.PRAM(0.5, consistent=True),
    om.Microaggregation(3, require=[om.ColumnsK(5, ["ward", "age"]), om.Diversity("cost", 4)]),
]


def planted_frame(value):
    frame = {name: (cells * RECORDS)[:RECORDS] for name, (_, cells) in MASKED.items()}
    frame |= {"label": ["A", "B"] * 60, "cost": ["1", "2", "3"] * 40, "note": ["-"] * RECORDS}
    for name in ("sets", "day", "age", "grade", "postcode", "answer", "label", "cost", "note"):
        for i in (3, 50, 77):
            frame[name][i] = value
    frame["who"] = [f"{value} {i // 2}" for i in range(RECORDS)]
    frame["ward"] = [value] * 8 + ["north", "south"] * 56
    frame["weight"] = [WEIGHT, *["1.5", "2.5"] * 60][:RECORDS]
    return pd.DataFrame(frame)


def planted_data(value, policy, *, average_weights=True):
    kinds = {name: kind for name, (kind, _) in MASKED.items()}
    policies = {"sets": "root", None: policy} if policy == "category" else policy
    return om.Microdata(
        planted_frame(value),
        kinds,
        person="who",
        pseudonyms=True,
        confidential=["cost"],
        other=["ward", "note"],
        weights="weight",
        average_weights=average_weights,
        linked=[["code", "label"]],
        missing=policies,
        unmapped=policies,
        rare_kept="root",
    )


def told(value, policy, method):
    """Everything that is told about the table, the release and its evaluation, or about what went wrong."""
    try:
        data = planted_data(value, policy, average_weights=method.makes_groups)
        yield from (repr(data), repr(data.quasi_identifiers), repr(data.mapping), *map(str, data.notes))
        yield from (repr(column.kind) for column in data.quasi_identifiers.values())
        result = method.mask(data, seed=2**70)
        yield from (repr(result), str(result.guarantee), repr(result.details), *map(str, result.notes))
        yield from (repr(result.data), repr(result.plan), repr(result.data.columns))
        score = om.evaluate(data, result)
        yield from (str(score), repr(score), score.to_json(), str(score.attacks), *map(str, score.notes))
        report = build_report(data, result, score, exposed=True)
        yield from (report.to_html(), report.to_json(), report.to_text())
    except om.OntomaskError as error:
        yield from (str(error), repr(error), "".join(traceback.format_exception(error)))
        yield from getattr(error, "__notes__", ())


@pytest.mark.parametrize("value", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("policy", POLICIES)
def test_no_text_names_it(value, policy, caplog):
    methods = METHODS if value == MARK else METHODS[:2]
    with caplog.at_level(logging.DEBUG):
        for method in methods:
            for text in told(value, policy, method):
                assert MARK not in text, method
                assert WEIGHT not in text, method
    assert MARK not in caplog.text
    assert WEIGHT not in caplog.text


def test_the_tables_are_masked_and_not_only_refused():
    done = [len(list(told(MARK, policy, method))) > 25 for policy in POLICIES[1:] for method in METHODS]
    assert sum(done) >= len(done) / 2


JOB = """
input.path = "data.csv"
method = { name = "Microaggregation", k = 3 BY }
policies = { missing = "POLICY", unmapped = "POLICY", rare_kept = "root" }
ontologies = { symptoms = "links.csv" }
[columns]
who = { role = "identifier", person = true, pseudonyms = true }
sets = { role = "quasi-identifier", kind = "concept_set", taxonomy = "symptoms", missing = "root", unmapped = "root" }
day = { role = "quasi-identifier", kind = "date" }
age = { role = "quasi-identifier", kind = "numeric" }
grade = { role = "quasi-identifier", kind = "ordinal", categories = ["low", "mid", "high"] }
postcode = { role = "quasi-identifier", kind = "prefix" }
answer = { role = "quasi-identifier", kind = "category" }
code = { role = "quasi-identifier", kind = "category" }
label = { role = "linked", to = "code" }
cost = { role = "confidential" }
ward = { role = "other" }
note = { role = "other" }
weight = { role = "weight" }
[output]
masked = "masked.csv"
report = ["report.html", "report.json", "report.txt"]
[compare]
seeds = 1
methods = [{ name = "Recoding", k = 3 }, { name = "Microaggregation", k = 12, by = ["ward"] }]
"""


@pytest.mark.parametrize("value", [PLANTED["plain"], PLANTED["quotes"], PLANTED["template"]], ids=repr)
@pytest.mark.parametrize("policy", ["error", "keep", "category"])
def test_no_command_names_it(value, policy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planted_frame(value).to_csv("data.csv", index=False)
    (tmp_path / "links.csv").write_text("child,parent\nache,symptom\nrash,symptom\nitch,symptom\ncolic,symptom\n")
    (tmp_path / "job.toml").write_text(JOB.replace("POLICY", policy).replace("BY", ""))
    (tmp_path / "by.toml").write_text(JOB.replace("POLICY", policy).replace("BY", ', by = ["ward"]'))
    commands = ["mask job.toml", "mask by.toml --force", "evaluate job.toml", "evaluate job.toml --json"]
    commands += ["attack job.toml", "compare job.toml --processes 1", "advise job.toml"]
    codes = Counter()
    for command in commands:
        done = CliRunner().invoke(app, command.split())
        codes[done.exit_code] += 1
        assert done.exit_code in (0, 2), (command, done.output, done.exception)
        for text in (done.output, done.stderr):
            assert MARK not in text, command
            assert WEIGHT not in text, command
    for path in tmp_path.glob("report.*"):
        assert MARK not in path.read_text(), path
        assert WEIGHT not in path.read_text(), path
    assert codes[0] >= (0 if policy == "error" else 5)


# Columns in which nobody has the same value


@pytest.mark.parametrize("name", ["day", "number", "code", "sets", "answer"])
@pytest.mark.parametrize(
    "method",
    [om.Microaggregation(5), om.Microaggregation(5, centroid="lcs"), om.Generalisation(5), om.PRAM()],
    ids=repr,
)
def test_reports_on_columns_of_unique_values_name_none(name, method, caplog):
    rng = np.random.default_rng(0)
    words = [f"zs{i:03}q" for i in range(60)]
    t = om.Taxonomy.from_edges(
        [*((w, f"g{i % 5}") for i, w in enumerate(words)), *((f"g{i}", "top") for i in range(5))]
    )
    cells = {
        "day": [(date(1950, 1, 1) + timedelta(int(i))).isoformat() for i in rng.choice(20_000, 100, replace=False)],
        "number": [f"{i / 10_000:.4f}" for i in rng.choice(10**7, 100, replace=False)],
        "code": [f"zp{i:05}" for i in rng.choice(99_999, 100, replace=False)],
        "sets": [f"{words[i % 60]};{words[(i + 1 + i // 60) % 60]}" for i in range(100)],
        "answer": [f"zc{i:04}" for i in range(100)],
    }
    kinds = {"day": om.Date(), "number": om.Numeric(), "code": om.Prefix(), "sets": om.ConceptSet(t)}
    data = om.Microdata(pd.DataFrame({name: cells[name]}), {name: kinds.get(name, om.Category())})
    with caplog.at_level(logging.DEBUG):
        result = method.mask(data, seed=2**70)
        score = om.evaluate(data, result, attacks=False)
        report = build_report(data, result, score)
    texts = [report.to_html(), report.to_json(), report.to_text(), str(score), str(score.typical), caplog.text]
    texts += [str(result.guarantee), *map(str, (*data.notes, *result.notes, *score.notes))]
    for text in texts:
        found = set(re.findall(r"z[spc]\d+q?|\d{4}-\d\d-\d\d|\d+\.\d{4}\b", text))
        assert not found.intersection({*cells[name], *words})


# A table that was taken for the masked one


@pytest.mark.parametrize("policy", ["drop", "keep", "root"])
@pytest.mark.parametrize("name", MASKED)
def test_what_a_wrong_table_holds_is_named_unless_few_originals_have_it(name, policy):
    kind, cells = MASKED[name]
    # Categories and codes can be any text on one line.
    rare = f"{MARK}\nx" if isinstance(kind, (om.Category, om.Prefix)) else f"{MARK} x"
    original = [*cells * 20, rare, rare]
    data = om.Microdata(pd.DataFrame({name: original}), {name: kind}, unmapped=policy)
    wrong = [*cells * 20, rare, rare][: len(data)]
    wrong[:2] = ["no such text", f" {MARK.upper()}\u200b x"]
    with pytest.raises(om.TableError) as caught:
        om.evaluate(data, pd.DataFrame({name: wrong}))
    assert "no such text" in str(caught.value)
    assert MARK not in str(caught.value).lower()
    assert MARK not in "".join(traceback.format_exception(caught.value)).lower()
