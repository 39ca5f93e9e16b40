"""The report contains all measures and no secrets, and its three forms agree."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.comparison.results import MEASURES
from ontomask.errors import OntomaskError, TableError
from ontomask.examples import adult_data
from ontomask.masking.anonymous import KAnonymous
from ontomask.masking.groups import Groups
from ontomask.microdata.plan import SUPPRESSED
from ontomask.report import Report, build_report
from ontomask.report.html import draw_comparison
from ontomask.report.report import group_measures
from ontomask.taxonomy.taxonomy import Annotations

from support.errors import raises

EDGES = [
    ("pain", "symptom"),
    ("ache", "pain"),
    ("colic", "pain"),
    ("skin", "symptom"),
    ("rash", "skin"),
    ("itch", "skin"),
]
SYMPTOMS = om.Taxonomy.from_edges(EDGES)
VOID = {"meta", "br", "hr", "img", "link", "input"}


@dataclass(frozen=True, repr=False)
class OneGroup(KAnonymous):
    """All tuples of the commonest value's size become the centroid; the rarest tuple is left out when asked."""

    leave_out: bool = False

    def _group(self, tuples, rng):
        group = np.zeros(len(tuples), dtype=np.int32)
        if self.leave_out:
            group[tuples.counts.argmin()] = SUPPRESSED
        points = [
            np.array(
                [space.centroid(points, np.bincount(indices, weights=tuples.counts, minlength=len(points)).astype(int))]
            )
            for space, points, indices in zip(tuples.spaces, tuples.points, tuples.indices.T, strict=True)
        ]
        return Groups(group, points)


class Page(HTMLParser):
    """Reads a page, and fails where an element is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.tags, self.words, self.attributes = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def table(n: int = 60, **more: list) -> om.Microdata:
    """Symptoms of n records, all common, with more columns as numbers."""
    values = ["ache", "colic", "rash", "itch", "ache"]
    frame = pd.DataFrame({"symptom": [values[i % 5] for i in range(n)], **more})
    return om.Microdata(frame, {"symptom": om.Nominal(SYMPTOMS), **{name: om.Numeric() for name in more}})


def report_on(data: om.Microdata, method: om.Method, **options) -> Report:
    result = method.mask(data, seed=5)
    return build_report(data, result, om.evaluate(data, result), **options)


def forms(report: Report) -> list[str]:
    return [report.to_html(), report.to_json(), report.to_text()]


# What must stay secret


def secretive(**policies) -> om.Microdata:
    """Common values with some rare ones of every kind among them, which all have names that nothing else has."""
    t = om.Taxonomy.from_edges(
        [*EDGES, ("zanzibar fever", "pain"), ("hub", "symptom"), *((f"h{i}", "hub") for i in range(4))]
    )
    n = 120
    frame = {
        "name": [f"person-{i:03}-qx" for i in range(n)],
        "symptom": ["zanzibar fever"] * 3 + ["ache"] * 40 + ["colic"] * 40 + ["rash"] * (n - 83),
        # The mean is the hub, which two records have.
        "spoke": ["hub"] * 2 + [f"h{i % 4}" for i in range(n - 2)],
        "income": [987654.25] + [20.0 + i % 40 for i in range(n - 1)],
        "grade": ["low"] * 50 + ["mid"] * 60 + ["high"] * 8 + ["ultraviolet"] * 2,
        "kept": ["oddity-xyz"] * 2 + ["ache", "itch"] * (n // 2 - 1),
        "crime": ["arson-qq"] + ["theft"] * (n - 1),
    }
    attributes = {
        "symptom": om.Nominal(t),
        "spoke": om.Nominal(t),
        "income": om.Numeric(),
        "grade": om.Ordinal(["low", "mid", "high", "ultraviolet"]),
        "kept": om.Nominal(t),
    }
    return om.Microdata(
        pd.DataFrame(frame), attributes, identifiers=["name"], confidential=["crime"], unmapped="keep", **policies
    )


SECRETS = ["zanzibar", "987654", "ultraviolet", "oddity-xyz", "arson-qq", "-qx"]


@pytest.mark.parametrize("method", [om.NaiveDistortion(), om.PRAM(stay=0.3), om.ProbabilisticDistortion()])
def test_rare_values_and_identifiers_stand_in_no_form_of_the_report(method):
    data = secretive()
    result = method.mask(data, seed=1)
    rare = {"symptom": (["zanzibar fever"], [[1.0]])}
    noted = replace(
        result,
        notes=(*result.notes, "released as 'zanzibar fever' and \"oddity-xyz\"."),
        details={**result.details, "of": {"zanzibar fever": 3}, "errors": [1.25e-7], "seed": 424242, "plan": "p-l-a-n"},
        method=om.PRAM(matrices=rare) if isinstance(method, om.PRAM) else method,
    )
    comparison = om.Comparison(
        ({"method": repr(om.PRAM(matrices=rare)), "family": "PRAM", "seed": 0, "error": "no 'zanzibar fever'"},)
    )
    score = om.evaluate(data, result)
    report = build_report(data, noted, score, comparison=comparison, exposed=True)
    for form in forms(report):
        for secret in [*SECRETS, "424242", "p-l-a-n", "1.25e-07"]:
            assert secret not in form, secret
    spoke = next(m for m in report.measures if m.title == "mean shift of spoke")
    assert score.utility.attributes["spoke"].mean[0] == "hub"
    assert "not named" in spoke.meaning
    assert "hub" not in json.dumps([[d.categories for d in report.distributions], spoke.meaning])
    assert report.comparison is not None
    assert report.comparison.refused == ("PRAM(…)",)
    assert [f.name for f in report.method.figures] == ["unchanged"] * 5


def test_values_of_dropped_records_are_as_secret_as_those_that_stay():
    # Four of the nine records of "scabies" are dropped; all three of "gout" are.
    edges = [*EDGES, ("scabies", "skin"), ("gout", "pain")]
    values = ["ache"] * 30 + ["scabies"] * 9 + ["gout"] * 3
    other: list[str | None] = ["rash"] * 35 + [None] * 7
    frame = pd.DataFrame({"symptom": values, "other": other})
    kind = om.Nominal(om.Taxonomy.from_edges(edges), domain="symptom")
    data = om.Microdata(frame, {"symptom": kind, "other": kind}, missing="drop")
    report = report_on(data, om.PRAM())
    assert report.table.dropped == 7
    for form in forms(report):
        assert "scabies" not in form
        assert "gout" not in form


def test_a_value_that_only_dropped_records_had_names_nothing():
    # "skin" would stand for the 18 rashes and itches; three records that were dropped had it as their value.
    frame = pd.DataFrame({"x": ["ache"] * 30 + ["rash"] * 9 + ["itch"] * 9 + ["skin"] * 3, "y": [1] * 48 + [None] * 3})
    kinds = {"x": om.Nominal(SYMPTOMS, domain="symptom"), "y": om.Numeric()}
    report = report_on(om.Microdata(frame, kinds, missing="drop"), om.PRAM())
    assert dict(zip(report.distributions[0].categories, report.distributions[0].original, strict=True)) == {
        "ache": 30,
        "other": 18,
    }


def test_a_domain_is_not_named_where_few_have_it_as_their_value():
    frame = pd.DataFrame({"x": ["ache"] * 30 + ["rash"] * 30 + ["symptom"] * 3})
    report = report_on(om.Microdata(frame, {"x": om.Nominal(SYMPTOMS)}), om.PRAM())
    assert report.mapping[0].domain == "(withheld)"
    assert report.table.columns[0].distance == "wu_palmer (root_depth=1)"
    assert all("symptom" not in form for form in forms(report))


def test_many_records_of_few_persons_are_rare():
    frame = pd.DataFrame(
        {"who": ["a"] * 15 + [f"p{i}" for i in range(45)], "symptom": ["itch"] * 15 + ["ache", "colic", "ache"] * 15}
    )
    shared = report_on(om.Microdata(frame, {"symptom": om.Nominal(SYMPTOMS)}, other=["who"]), om.PRAM())
    data = om.Microdata(frame, {"symptom": om.Nominal(SYMPTOMS)}, identifiers=["who"], person="who")
    apart = report_on(data, om.PRAM())
    assert "itch" in shared.distributions[0].categories
    assert "itch" not in str(apart.distributions)
    # "other" would hold one person only, so the smallest bar is added to it.
    assert dict(zip(apart.distributions[0].categories, apart.distributions[0].original, strict=True)) == {
        "ache": 30,
        "other": 30,
    }


def test_rows_are_listed_only_when_asked_for_and_then_say_so():
    data = table(income=list(range(60)))
    quiet, open_ = report_on(data, om.PRAM(stay=0.9)), report_on(data, om.PRAM(stay=0.9), exposed=True)
    assert quiet.exposure.rows is None
    assert not quiet.internal
    assert all(Report.INTERNAL not in form for form in forms(quiet))
    score = om.evaluate(data, om.PRAM(stay=0.9).mask(data, seed=5))
    assert open_.exposure.rows is not None
    assert [row.row for row in open_.exposure.rows] == score.attacks.exposed(10).tolist()
    assert open_.to_dict()["internal"] is True
    assert Report.INTERNAL in Page(open_.to_html()).text
    assert "Most exposed records, by row of the original, counted from 0" in Page(open_.to_html()).text
    assert sum(band.records for band in quiet.exposure.bands) == 60


def test_facts_that_undo_the_masking_are_refused():
    with raises(TableError, parameter="about"):
        report_on(table(), om.PRAM(), about={"Seed": 7})


# What must be in the report


@pytest.mark.parametrize("method", [om.PRAM(), OneGroup(5), OneGroup(5, leave_out=True)])
def test_every_measure_stands_in_every_form(method):
    data = table(61, age=[20 + i % 30 for i in range(61)])
    result = method.mask(data, seed=5)
    score = om.evaluate(data, result)
    report = build_report(data, result, score)
    page, plain, data_ = Page(report.to_html()).text, report.to_text(), report.to_dict()
    assert [m["title"] for m in data_["measures"]] == [m.title for m in score.measures]
    for m, facts in zip(score.measures, report.measures, strict=True):
        assert m.definition in page
        for text in (page, " ".join(plain.split())):
            for part in (m.name, " × ".join(m.columns), facts.shown, facts.meaning):
                assert part in text
        if m.name != "mean shift":
            assert facts.meaning.casefold() == m.meaning.casefold()
    for text in (page, " ".join(plain.split())):
        assert result.guarantee.text in text


def test_the_guarantee_is_told_with_its_proof():
    import polars as pl

    data = table(61)
    result = OneGroup(5, leave_out=True).mask(data, seed=5)
    report = build_report(data, result, om.evaluate(data, result))
    left = len(result.data)
    assert left == 49  # of 61 records 25 ache, and colic, rash and itch have 12 each
    assert report.guarantee.k == left
    assert (report.guarantee.sizes.groups, report.guarantee.sizes.smallest) == (1, left)
    assert f"{left} records form 1 groups" in report.guarantee.proof[0]
    assert report.table.suppressed == 12
    # The query returns no rows, and the one group when k is one record more.
    released = pl.from_pandas(result.frame)
    with pl.SQLContext(released=released) as sql:
        assert sql.execute(report.guarantee.query, eager=True).is_empty()
        assert len(sql.execute(report.guarantee.query.replace(f"< {left}", f"< {left + 1}"), eager=True)) == 1
    assert report.headlines[1].value == f"k = {left}"


def test_groups_with_a_single_confidential_value_are_a_headline():
    frame = pd.DataFrame({"age": [1, 1, 1, 9, 9, 9], "ill": ["a", "a", "a", "a", "b", "b"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential=["ill"])
    (shown,) = (h for h in report_on(data, om.Microaggregation(k=3)).headlines if "certain" in h.label)
    assert shown.value == "50 %"
    assert "single value of ill" in shown.sentence
    # Rows that were swapped are no groups.
    swapped = report_on(data, om.RankSwapping(k=2))
    assert not any("certain" in h.label for h in swapped.headlines)


def test_without_a_guarantee_the_report_says_so():
    report = report_on(table(), om.PRAM())
    assert report.guarantee.k is None
    assert report.guarantee.query == ""
    assert report.headlines[1].value == "nothing"
    assert all("No privacy guarantee" in form for form in forms(report))


def test_all_records_suppressed():
    @dataclass(frozen=True, repr=False)
    class Nothing(KAnonymous):
        def _group(self, tuples, rng):
            return Groups(np.full(len(tuples), SUPPRESSED, dtype=np.int32), [points[:0] for points in tuples.points])

    report = report_on(table(age=[30 + i % 3 for i in range(60)]), Nothing(2))
    assert report.table.released == 0
    assert report.distributions[0].masked == (0,) * len(report.distributions[0].categories)
    assert all("Every record was suppressed" in form for form in forms(report))


def test_why_this_method():
    @dataclass(frozen=True)
    class Advised:
        method: om.Method
        reasons: tuple[str, ...]
        cautions: tuple[str, ...]
        measured: bool

    data = table()
    advice = Advised(om.PRAM(), ("It is quick.",), ("It is rough.",), False)
    followed = report_on(data, om.PRAM(), advice=advice)
    assert followed.advice is not None
    assert followed.advice.followed
    for form in forms(followed):
        assert "It is quick." in form
        assert "It is rough." in form
    assert not report_on(data, om.NaiveDistortion(), advice=advice).advice.followed
    assert followed.method.parameters == {"stay": "0.8", "matrices": "not given"}
    assert om.PRAM.about.what in followed.to_text().replace("\n", " ")


def test_the_map_of_a_comparison(monkeypatch):
    data = table(age=[20 + i % 7 for i in range(60)])
    found = om.compare(
        data, [om.PRAM(stay=0.2), om.PRAM(stay=0.9), om.NaiveDistortion(), OneGroup(61)], seeds=2, jobs=1
    )
    report = report_on(data, om.PRAM(stay=0.9), comparison=found)
    facts = report.comparison
    assert facts is not None
    assert [m.method for m in facts.methods] == ["PRAM(stay=0.2)", "PRAM(stay=0.9)", "NaiveDistortion()"]
    assert [m.method for m in facts.methods if m.on_frontier] == sorted(
        found.frontier(), key=[m.method for m in facts.methods].index
    )
    assert facts.refused == ("OneGroup(k=61)",)
    assert "Scatter chart" in report.to_html()
    assert "seed" not in json.dumps(report.to_dict()["comparison"])
    # One that failed in some runs, and one that was measured on other columns, have beaten nobody.
    rows = [{**row, "columns": 1 if row["method"] == "NaiveDistortion()" else 2} for row in found.rows]
    rows.append({**rows[0], **dict.fromkeys(MEASURES), "seed": 2, "error": "no"})
    uneven = report_on(data, om.PRAM(stay=0.9), comparison=replace(found, rows=tuple(rows)))
    assert uneven.comparison is not None
    assert [(m.method, m.runs_shown, m.columns) for m in uneven.comparison.methods if not m.on_frontier] == [
        ("PRAM(stay=0.2)", "2 of 3", 2),
        ("NaiveDistortion()", "2", 1),
    ]
    for form in (uneven.to_html(), " ".join(str(uneven).split())):
        assert "2 of 3" in form
        assert "PRAM(stay=0.2) failed in 1 of 3 runs" in form
        assert "NaiveDistortion() masked fewer columns than others (1, not 2)" in form
    monkeypatch.setattr(om.Comparison, "figure", om.Comparison.frontier)
    assert draw_comparison(uneven.comparison) == ["PRAM(stay=0.9)"]
    monkeypatch.undo()
    # None of the methods could mask the table: a table of nothing, and no map.
    refused = om.compare(data, [OneGroup(61)], seeds=1, jobs=1)
    assert "Scatter chart" not in report_on(data, om.PRAM(), comparison=refused).to_html()


def test_a_licence_note_stands_with_the_terms_of_an_ontology():
    def data(name: str, licence: str) -> om.Microdata:
        t = om.Taxonomy.from_edges(EDGES, annotations=Annotations(name=name, licence=licence))
        return om.Microdata(pd.DataFrame({"symptom": ["ache", "rash"] * 20}), {"symptom": om.Nominal(t)})

    for form in forms(report_on(data("SNOMED CT 2024", "Only under <a licence>."), om.PRAM())):
        assert "SNOMED CT 2024" in form
        assert "Only under <a licence>." in form or "Only under &lt;a licence&gt;." in form
    for form in forms(report_on(data("my cut of SNOMED", ""), om.PRAM())):
        assert "belongs to SNOMED International" in " ".join(form.split())
    assert "names no licence" in report_on(data("mine", ""), om.PRAM()).to_html()


def test_mapping_is_told_without_rare_values():
    frame = pd.DataFrame({"symptom": ["ache"] * 20 + ["rash"] * 20 + ["strange"] * 12 + ["odd"] * 2})
    data = om.Microdata(frame, {"symptom": om.Nominal(SYMPTOMS, mapping={"never": "itch"})}, unmapped="keep")
    (facts,) = report_on(data, om.PRAM()).mapping
    assert (facts.values, facts.mapped_values, facts.records, facts.mapped_records) == (4, 2, 54, 40)
    assert facts.record_coverage == 40 / 54
    assert facts.unmapped_values == 2
    assert [v.value for v in facts.named_unmapped] == ["strange"]
    assert facts.unused_keys == 1


def test_a_sentence_that_holds_for_all_columns_is_said_once():
    report = report_on(table(age=[20 + i % 7 for i in range(60)], weight=[50 + i % 9 for i in range(60)]), om.PRAM())
    groups = {group.title: group for group in group_measures(report.measures_of("utility"))}
    assert [row[0] for row in groups["RMSE"].rows] == ["symptom", "age", "weight"]
    assert groups["RMSE"].meaning == next(m.meaning for m in report.measures if m.name == "RMSE")
    assert all(row[2] == "" for row in groups["RMSE"].rows)
    assert all(row[2] for row in groups["whole table"].rows)
    changed = [max(m.value for m in pair if m.name == "sdCor") for pair in report.pairs]
    assert changed == sorted(changed, reverse=True)
    alone = group_measures(report_on(table(), om.PRAM()).measures_of("utility"))
    assert [group.title for group in alone] == ["whole table", "symptom"], "one column has a heading of its own"


# The forms


HOSTILE = "<script>alert('x')</script>"


def test_hostile_names_and_values_are_escaped():
    t = om.Taxonomy.from_edges(
        [(HOSTILE, "top & root"), ("</title><b>", "top & root"), ("]]>\x00", "top & root")],
        annotations=Annotations(name="<i>ontology", licence="<a href='x'>terms"),
    )
    column = "<img src=x onerror=alert(1)>"
    frame = pd.DataFrame({column: [HOSTILE, "</title><b>", "]]>\x00"] * 20, "a\"b'": ["1", "2", "3"] * 20})
    data = om.Microdata(frame, {column: om.Nominal(t), "a\"b'": om.Numeric()})
    report = report_on(
        data,
        OneGroup(2),
        title="<h1>&amp;",
        about={"<b>": "</table>"},
        comparison=om.compare(data, [om.PRAM()], seeds=1, jobs=1),
    )
    html = report.to_html()
    page = Page(html)
    assert not {"script", "img", "i"} & set(page.tags)
    assert page.tags.count("h1") == 1
    assert page.tags.count("title") == html.count("<title>")
    assert HOSTILE in page.text
    assert not any(name.startswith("on") for name, _ in page.attributes)
    for form in forms(report)[::2]:
        assert "\x00" not in form
    assert json.loads(report.to_json())["about"] == {"<b>": "</table>"}


def test_a_page_stands_alone():
    html = report_on(table(age=[30 + i % 9 for i in range(60)]), om.PRAM()).to_html()
    page = Page(html)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert html.count("http") == html.count('xmlns="http://www.w3.org/2000/svg"') + html.count("http-equiv")
    for word in ("url(", "@import", "src="):
        assert word not in html.replace("default-src 'none'", "")
    links = [value for name, value in page.attributes if name == "href"]
    ids = [value for name, value in page.attributes if name == "id"]
    assert links == [f"#{name}" for name in ids]
    assert len(ids) >= 6
    assert page.tags.count("caption") == page.tags.count("table")
    assert page.tags.count("figure") == page.tags.count("svg") == page.tags.count("desc")


def test_the_same_run_makes_the_same_bytes():
    once, again = (report_on(secretive(), om.PRAM(stay=0.5), about={"date": "2020-02-02"}) for _ in range(2))
    assert forms(once) == forms(again)


def test_save_writes_the_form_that_the_ending_names(tmp_path):
    report = report_on(table(), om.PRAM(), title="Report \ud800")
    for name, form in zip(("r.html", "r.json", "r.TXT"), forms(report), strict=True):
        report.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == form.encode(errors="replace")
    for name in ("r.pdf", "none/r.html"):
        with raises(OntomaskError, parameter="path"):
            report.save(tmp_path / name)
    assert json.loads(report.to_json()) == report.to_dict()


def test_objects_that_do_not_belong_together_are_refused():
    data, other = table(60), table(61)
    result = om.PRAM().mask(data, seed=0)
    score = om.evaluate(data, result)
    stranger = om.Microdata(pd.DataFrame({"x": ["ache"] * 9}), {"x": om.Nominal(SYMPTOMS)})
    for table_, made, parameter in (
        (other, om.PRAM().mask(other, seed=0), "score"),
        (stranger, result, "result"),
        (data, OneGroup(5).mask(data, seed=0), "score"),
    ):
        with raises(TableError, parameter=parameter):
            build_report(table_, made, score)


# Tables of all kinds


def test_one_column_has_no_correlations():
    report = report_on(table(), om.PRAM())
    assert report.dependence is None
    assert 'class="matrix"' not in report.to_html()


def test_ten_columns():
    rng = np.random.default_rng(0)
    values = np.array(["ache", "colic", "rash", "itch"])
    frame = pd.DataFrame({f"s{j}": values[rng.integers(0, 4, 80)] for j in range(8)})
    frame["age"] = rng.integers(20, 70, 80)
    frame["still"] = 7
    kinds = {name: om.Nominal(SYMPTOMS) for name in frame.columns[:8]} | {"age": om.Numeric(), "still": om.Numeric()}
    report = report_on(om.Microdata(frame, kinds), om.PRAM(stay=0.5))
    assert report.dependence is not None
    before = np.array(report.dependence.before, dtype=float)
    assert before.shape == (10, 10)
    assert np.isnan(before[9, 9])
    assert np.array_equal(before[:9, :9], before[:9, :9].T)
    assert (np.diag(before)[:9] == 1).all()
    html = report.to_html()
    assert html.count("<svg") == 10 + 3
    assert html.count('<table class="matrix">') == 2
    assert html.count('<td class="none">') == 2, "the column with one value has no correlation with itself"
    assert (len(report.pairs), html.count("<details>")) == (45, 1)
    Page(html)
    json.loads(report.to_json(), parse_constant=pytest.fail)


def test_eighty_thousand_concepts_in_a_light_page():
    n = 80_000
    edges = [(f"c{i}", f"g{i % 40}" if i % 2 else "all") for i in range(n)] + [
        (f"g{i}", "all") for i in range(1, 40, 2)
    ]
    t = om.Taxonomy.from_edges(edges)
    rng = np.random.default_rng(0)
    values = [f"c{i}" for i in rng.integers(0, n, 3000)] + ["c1"] * 50
    data = om.Microdata(pd.DataFrame({"code": values}), {"code": om.Nominal(t, domain="all")})
    result = om.ProbabilisticDistortion().mask(data, seed=0)
    report = build_report(data, result, om.evaluate(data, result))
    (found,) = report.distributions
    assert len(found.categories) == 12
    assert sum(found.original) == sum(found.masked) == len(values)
    assert found.categories[0] == "g1"
    assert len(report.to_html()) < 200_000


def test_adult_fits_into_two_megabytes_and_hides_its_rare_values():
    data = adult_data(numeric=("age",), confidential=("salary-class",))
    report = report_on(data, om.PRAM(stay=0.6))
    for form in forms(report):
        assert len(form.encode()) < 2_000_000
        for rare in ("Armed-Forces", "soldier", "Holand-Netherlands", "Netherlands"):
            assert rare not in form
    country = report.distributions[1]
    assert country.categories[0] == "United States"
    assert sum(country.original) == 30_162


def test_dropped_records_are_told_first():
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    frame = pd.DataFrame({"symptom": ["ache"] * 6 + ["colic"] * 4 + [None] * 3})
    data = om.Microdata(frame, {"symptom": om.Nominal(taxonomy)}, missing="drop")
    for method, suppressed in ((om.Microaggregation(k=4), 0), (om.Suppression(k=5), 4)):
        result = method.mask(data, seed=0)
        report = om.build_report(data, result, om.evaluate(data, result))
        assert (report.table.dropped, report.table.suppressed) == (3, suppressed)
        for text in (report.headlines[0].sentence, report.table.sentence):
            assert "3 were dropped" in text
            assert ("4 were suppressed" in text) == bool(suppressed)
