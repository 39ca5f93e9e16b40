"""A report as one page of HTML that stands alone and prints well."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from string import Template

from ontomask.comparison.compare import MEASURES
from ontomask.figures.markup import tag, words
from ontomask.figures.numbers import readable
from ontomask.report.contents import MeasureFacts
from ontomask.report.elements import Pictures, bullets, heading, paragraph, rows, table
from ontomask.report.pictures import (
    MOST_IN_MATRIX,
    draw_comparison,
    draw_dependence,
    draw_distribution,
    draw_exposure,
)
from ontomask.report.report import Report
from ontomask.report.wording import INTERNAL, NOT_IN_REPORT, NOT_LISTED, counted

__all__ = ["as_page"]

# So many rows of measures of pairs, and so many columns with a figure, make a page that is not too heavy.
_MOST_PAIR_ROWS = 300
_MOST_DISTRIBUTIONS = 40


def as_page(report: Report) -> str:
    """The page."""
    return _template().substitute(title=words(report.title), body="\n".join(_body(report)))


@cache
def _template() -> Template:
    return Template(files("ontomask.report").joinpath("page.html").read_text(encoding="utf-8"))


def _body(report: Report) -> Iterator[str]:
    sections = list(_sections(report))
    yield tag(
        "header",
        tag(
            "div",
            paragraph("Statistical disclosure control", "eyebrow"),
            tag("h1", words(report.title)),
            paragraph(_lead(report), "lead"),
        ),
    )
    tiles = (
        tag("li", tag("span", words(h.label)), tag("b", words(h.value)), paragraph(h.sentence))
        for h in report.headlines
    )
    links = (tag("li", tag("a", words(title), href=f"#{name}")) for name, title, _ in sections)
    yield tag(
        "main",
        paragraph(INTERNAL, "internal") if report.internal else "",
        tag("ul", *tiles, class_="tiles"),
        tag("nav", tag("h2", "Contents"), tag("ol", *links), aria_label="Contents"),
        *(
            "\n" + tag("section", tag("h2", f"{i}. {words(title)}"), *inside, id=name)
            for i, (name, title, inside) in enumerate(sections, 1)
        ),
    )
    yield tag("footer", tag("div", paragraph(NOT_IN_REPORT)))


def _lead(report: Report) -> str:
    masked = [column.name for column in report.table.columns if column.role.startswith("quasi")]
    return f"{report.table.records:,} records, masked in {', '.join(masked)} by {report.method.family}."


def _sections(report: Report) -> Iterator[tuple[str, str, list[str]]]:
    pictures = Pictures()
    yield "method", "What was done, and why this method", list(_method(report))
    yield "guarantee", "The guarantee and its proof", list(_guarantee(report))
    if report.mapping:
        yield "mapping", "How values were mapped to concepts", list(_mapping(report))
    yield "utility", "Utility: what the masking cost", list(_utility(report, pictures))
    yield "risk", "Risk: what can still be found out", list(_risk(report, pictures))
    if report.comparison is not None:
        yield "comparison", "Other methods on the same table", list(_comparison(report, pictures))
    if report.sources:
        yield "sources", "Sources and licences", list(_sources(report))
    yield "definitions", "Notes, definitions and references", list(_definitions(report))


def _method(report: Report) -> Iterator[str]:
    method, facts = report.method, report.table
    yield tag("p", "Method: ", tag("code", words(method.name)))
    yield paragraph(f"{method.what} {method.why}")
    if report.advice is not None:
        advice = report.advice
        basis = "measured on these data" if advice.measured else "by the literature, not measured on these data"
        yield heading("Why this method" if advice.followed else "What had been recommended")
        yield tag("p", "Recommended: ", tag("code", words(advice.method)), f" ({basis}).")
        yield bullets((*advice.reasons, *(f"Caution: {caution}" for caution in advice.cautions)))
    if method.parameters:
        lines = rows((name, value) for name, value in method.parameters.items())
        yield table("Parameters", ["parameter", "value"], ("", lines), short=True)
    if method.figures:
        yield _figures(report)
    lines = rows(
        ((c.name, c.role, c.kind, "" if c.distinct is None else f"{c.distinct:,}", c.distance) for c in facts.columns),
        [3],
    )
    titles = ["column", "role", "holds", "distinct values", "distance that evaluates"]
    yield table("The table", titles, ("", lines), numbers=[3])
    yield paragraph(counted(facts))
    if report.about:
        yield table("About this run", ["fact", "value"], ("", rows(report.about.items())), short=True)


def _figures(report: Report) -> str:
    """What the method tells about its work: of the whole table, and by column."""
    figures = {(f.column, _plainly(f.name)): readable(f.value) for f in report.method.figures}
    of = list(dict.fromkeys(column for column, _ in figures))
    names = list(dict.fromkeys(name for _, name in figures))
    numbers = range(1, len(names) + 1)
    lines = rows(((c or "whole table", *(figures.get((c, name), "") for name in names)) for c in of), numbers)
    return table("What the method tells about its work", ["of", *names], ("", lines), numbers=numbers, short=True)


def _guarantee(report: Report) -> Iterator[str]:
    guarantee = report.guarantee
    yield paragraph(guarantee.text, "promise" if guarantee.claim else "promise none")
    yield heading("How this was verified" if guarantee.claim else "What was counted instead")
    yield from map(paragraph, guarantee.proof)
    if guarantee.query:
        yield tag("pre", tag("code", words(guarantee.query)))


def _mapping(report: Report) -> Iterator[str]:
    lines = (
        (
            m.column,
            m.taxonomy,
            m.domain,
            ", ".join(f"{rule} {number:,}" for rule, number in m.rules.items()),
            f"{m.mapped_values:,} of {m.values:,} ({m.value_coverage:.1%})",
            f"{m.mapped_records:,} of {m.records:,} ({m.record_coverage:.1%})",
            f"{m.missing:,}",
        )
        for m in report.mapping
    )
    titles = ["column", "taxonomy", "domain", "values by rule", "values mapped", "records mapped", "missing"]
    yield table("Mapping coverage", titles, ("", rows(lines, [4, 5, 6])), numbers=[4, 5, 6])
    for m in report.mapping:
        if m.first_senses:
            yield paragraph(
                f"{m.column}: values with several senses that were taken in the first, since nothing said otherwise: "
                f"{m.first_senses:,}.{_named(m.first_senses, len(m.named_first_senses))}"
            )
            yield bullets(f"{v.value} = {v.concept}" for v in m.named_first_senses)
        if m.unmapped_values:
            yield paragraph(
                f"{m.column}: values without a concept: {m.unmapped_values:,}."
                f"{_named(m.unmapped_values, len(m.named_unmapped))}"
            )
            yield bullets(f"{v.value} ({v.records:,} records)" for v in m.named_unmapped)
        if m.unused_keys:
            yield paragraph(
                f"{m.column}: entries of the mapping for values that the column does not have: {m.unused_keys:,}."
            )


def _named(all_: int, named: int) -> str:
    if named == all_:
        return ""
    return f" The commonest {named:,}:" if named else " None is common enough to be named."


def _utility(report: Report, pictures: Pictures) -> Iterator[str]:
    yield heading("Distributions before and after")
    shown = [d for d in report.distributions if d.categories][:_MOST_DISTRIBUTIONS]
    for d in shown:
        terms = f" Terms: {d.terms}; see the licence note under “Sources”." if d.terms else ""
        counts = ((name, f"{a:,}", f"{b:,}") for name, a, b in zip(d.categories, d.original, d.masked, strict=True))
        yield tag(
            "div",
            pictures.show(draw_distribution(d), f"{d.column}, original and masked.", d.note + terms),
            table(f"{d.column}: records", ["", "original", "masked"], ("", rows(counts, [1, 2])), numbers=[1, 2]),
            class_="picture",
        )
    for d in report.distributions:
        if not d.categories:
            yield paragraph(f"{d.column}: {d.note}")
    if len(shown) < sum(bool(d.categories) for d in report.distributions):
        yield paragraph(f"The first {len(shown):,} columns are drawn; the report as JSON has all.", "quiet")
    yield heading("How columns depend on each other")
    if report.dependence is None:
        yield paragraph("There is one column, so that there is nothing to depend on.")
    else:
        many = len(report.dependence.columns) - MOST_IN_MATRIX
        note = "0: none, 1: full. A crossed cell: the column does not vary."
        if many > 0:
            note += f" The first {MOST_IN_MATRIX} columns are drawn."
        yield pictures.show(draw_dependence(report.dependence), "Distance correlation before and after.", note)
    measures = [m for m in report.measures if m.about == "utility"]
    yield _measures("Measures of utility", [m for m in measures if len(m.columns) < 2])
    pairs = [m for m in measures if len(m.columns) > 1]
    if pairs:
        kept = _most_changed(pairs)
        yield _measures("Measures of pairs of columns", kept)
        if len(kept) < len(pairs):
            yield paragraph("The pairs that changed most are listed; the report as JSON has all.", "quiet")


def _most_changed(pairs: list[MeasureFacts]) -> list[MeasureFacts]:
    """As many measures of pairs as there is room for, of those whose correlation changed most."""
    if len(pairs) <= _MOST_PAIR_ROWS:
        return pairs
    changed = {m.columns: m.value or 0.0 for m in pairs if m.name == "sdCor"}
    each = len(pairs) // len(changed)
    first = set(sorted(changed, key=lambda pair: -changed[pair])[: _MOST_PAIR_ROWS // each])
    return [m for m in pairs if m.columns in first]


def _measures(caption: str, measures: list[MeasureFacts]) -> str:
    bodies = [
        (" × ".join(columns) or "whole table", rows(((m.name, m.shown, m.meaning) for m in group), [1]))
        for columns, group in groupby(measures, key=lambda m: m.columns)
    ]
    return table(caption, ["measure", "value", "what it means"], *bodies, numbers=[1])


def _risk(report: Report, pictures: Pictures) -> Iterator[str]:
    yield _measures("Measures of risk", [m for m in report.measures if m.about == "risk"])
    exposure = report.exposure
    text = "How likely the right released record is found, by whichever intruder is most likely to find it."
    yield pictures.show(draw_exposure(exposure), text)
    yield heading("The most exposed records")
    yield paragraph(
        f"The highest chance is {exposure.highest:.1%}; {exposure.as_exposed:,} of {report.table.records:,} records "
        f"have it."
    )
    if exposure.rows is None:
        yield paragraph(NOT_LISTED)
        return
    dropped = " that remained after records were dropped" if report.table.dropped else ""
    lines = rows(((f"{row.row:,}", f"{row.probability:.1%}") for row in exposure.rows), [1])
    caption = f"Most exposed records, by row of the original{dropped}, counted from 0"
    yield table(caption, ["row", "chance of being linked"], ("", lines), numbers=[1], short=True)


def _comparison(report: Report, pictures: Pictures) -> Iterator[str]:
    facts = report.comparison
    assert facts is not None
    told = {name: MEASURES[name] for name in dict.fromkeys((facts.risk, "srl", facts.loss, "k", "all_k"))}
    if facts.methods:
        text = "Each method by what it risks and what it loses; the nearer to the lower left corner, the better."
        note = " ".join([f"This report is on {report.method.name}.", *facts.remarks])
        yield pictures.show(draw_comparison(facts), text, note)
        differ = facts.columns_differ
        titles = ["method", *told.values(), *(["columns"] if differ else []), "runs", "unbeaten"]
        numbers = range(1, len(titles) - 1)
        lines = rows(
            (
                (
                    m.method,
                    *map(m.shown, told),
                    *([f"{m.columns or '–'}"] if differ else []),
                    m.runs_shown,
                    "yes" if m.on_frontier else "",
                )
                for m in facts.methods
            ),
            numbers,
        )
        caption = "Means over the runs; unbeaten: no other has less of one of risk and loss, and no more of the other"
        yield table(caption, titles, ("", lines), numbers=numbers)
    if facts.refused:
        yield paragraph(f"These could not mask the table: {', '.join(facts.refused)}.")


def _sources(report: Report) -> Iterator[str]:
    for source in report.sources:
        yield heading(source.name or "A taxonomy without a name")
        yield paragraph(f"Concepts of {', '.join(source.columns)}.")
        yield paragraph(source.licence or "The source names no licence.")


def _definitions(report: Report) -> Iterator[str]:
    if report.notes:
        yield heading("Notes")
        yield bullets(note[:1].upper() + note[1:] for note in report.notes)
    yield heading("Definitions")
    listed = {m.name: m.definition for m in report.measures}
    yield tag("dl", *(tag("div", tag("dt", words(name)), tag("dd", words(text))) for name, text in listed.items()))
    yield heading("References")
    yield bullets(f"{letter}: {title}" for letter, title in report.references.items())


def _plainly(name: str) -> str:
    return name.replace("_", " ")
