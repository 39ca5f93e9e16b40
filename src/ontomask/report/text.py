"""A report as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import wrap

from ontomask.base.text import one_line, readable
from ontomask.report.contents import MeasureFacts
from ontomask.report.report import Report, group_measures

__all__ = ["render_text"]

_WIDTH = 100
_MOST_PAIRS = 10


def render_text(report: Report) -> str:
    """Render the report, section by section."""
    title = one_line(report.title)
    lines = [title, "=" * min(len(title), _WIDTH), ""]
    if report.internal:
        lines += [*_paragraph(report.INTERNAL), ""]
    lines += _columns((h.label, h.value, h.sentence) for h in report.headlines)
    for name, heading in report.sections.items():
        lines += ["", heading, "-" * len(heading), *_SECTIONS[name](report)]
    return "\n".join([*lines, "", *_paragraph(report.NOT_IN_REPORT)]) + "\n"


def _method(report: Report) -> Iterator[str]:
    method = report.method
    yield one_line(method.name)
    yield from _paragraph(f"{method.what} {method.why}")
    if report.advice is not None:
        yield from _paragraph(f"Recommended: {report.advice.method} ({report.advice.basis}).")
        yield from _bullets(report.advice.all_reasons)
    yield ""
    yield from _columns(method.parameters.items())
    yield from _columns((f.name.replace("_", " "), f.column, readable(f.value)) for f in method.figures)
    yield ""
    yield from _columns((c.name, c.role, c.kind, c.distance) for c in report.table.columns)
    yield from _paragraph(report.table.sentence)
    yield from _columns(report.about.items())


def _guarantee(report: Report) -> Iterator[str]:
    for sentence in (report.guarantee.text, *report.guarantee.proof):
        yield from _paragraph(sentence)
    if report.guarantee.query:
        yield f"  {one_line(report.guarantee.query)}"
    if report.guarantee.sizes is not None:
        yield ""
        yield from _columns([("group size", "groups", "records"), *report.guarantee.sizes.rows])


def _mapping(report: Report) -> Iterator[str]:
    for m in report.mapping:
        column, taxonomy, domain, rules, values, records, missing = m.row
        yield from _paragraph(f"{column} → {taxonomy}, under {domain}")
        yield from _bullets(
            [
                f"mapped: {values} values, {records} records; missing: {missing} records",
                f"by rule: {rules or 'none'}",
                *([f"with several senses, mapped to the first: {m.first_senses:,}"] if m.first_senses else []),
                *([f"mapped to a suggestion for its score: {m.accepted_values:,}"] if m.accepted_values else []),
                *([f"whose concept changed in the ontology: {m.changed_values:,}"] if m.changed_values else []),
                *([f"not equivalent to their concept: {m.inexact:,}"] if m.inexact else []),
                *([f"without a concept: {m.unmapped_values:,}"] if m.unmapped_values else []),
            ]
        )


def _measures(measures: Sequence[MeasureFacts]) -> Iterator[str]:
    for group in group_measures(measures):
        yield one_line(f"{group.title}: {group.meaning}" if group.meaning else group.title)
        yield from _columns(group.rows)


def _utility(report: Report) -> Iterator[str]:
    if report.loss is not None:
        yield from _paragraph(report.loss.sentence)
        yield from _columns([report.loss.titles, *report.loss.rows])
        yield from _paragraph(report.loss.basis)
        yield ""
    yield from _measures(report.measures_of("utility"))
    pairs = report.pairs
    if pairs:
        more = f" {len(pairs) - _MOST_PAIRS:,} more pairs are in the JSON report." if len(pairs) > _MOST_PAIRS else ""
        yield ""
        yield from _paragraph(f"Column pairs that changed most.{more}")
        yield from _measures([m for pair in pairs[:_MOST_PAIRS] for m in pair])
    for d in report.distributions:
        yield ""
        yield from _paragraph(f"{d.column}, records before and after. {d.note}")
        yield from _columns((name, before, f"→ {after}") for name, before, after in d.rows)


def _risk(report: Report) -> Iterator[str]:
    exposure = report.exposure
    yield from _measures(report.measures_of("risk"))
    yield ""
    yield "Records by their chance of being linked, with the best chance of all simulated intruders:"
    yield from _columns((band.chance, f"{band.records:,}") for band in exposure.bands)
    yield from _paragraph(exposure.sentence)
    if exposure.rows is None:
        yield from _paragraph(report.NOT_LISTED)
    else:
        yield "Most exposed rows of the original, counted from 0:"
        yield from _columns((f"row {row}", chance) for row, chance in exposure.row_texts)


def _comparison(report: Report) -> Iterator[str]:
    facts = report.comparison
    assert facts is not None
    yield from _columns([facts.titles, *facts.rows])
    yield from _bullets(facts.remarks)
    if facts.refused:
        yield from _paragraph(f"These methods could not mask the table: {', '.join(facts.refused)}.")


def _sources(report: Report) -> Iterator[str]:
    for source in report.sources:
        licence = source.licence or "The source names no licence."
        yield from _paragraph(f"{source.title} (concepts of {', '.join(source.columns)}): {licence}")


def _definitions(report: Report) -> Iterator[str]:
    yield from _bullets(report.notes)
    yield from _bullets(report.reference_lines)


_SECTIONS: dict[str, Callable[[Report], Iterable[str]]] = {
    "method": _method,
    "guarantee": _guarantee,
    "mapping": _mapping,
    "utility": _utility,
    "risk": _risk,
    "comparison": _comparison,
    "sources": _sources,
    "definitions": _definitions,
}


def _paragraph(text: str) -> list[str]:
    return wrap(one_line(text), _WIDTH)


def _bullets(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from wrap(one_line(text), _WIDTH, initial_indent="- ", subsequent_indent="  ")


def _columns(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows with aligned cells. The last cell of a row may have any length."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    last = max((len(row) for row in cells), default=1) - 1
    widths = [max(len(row[i]) for row in cells) for i in range(last)]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield ("  " + "  ".join([*padded, row[-1]])).rstrip()
