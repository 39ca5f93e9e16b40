"""A report as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from ontomask.comparison.compare import MEASURES
from ontomask.figures.markup import clean
from ontomask.figures.numbers import readable
from ontomask.report.report import Report
from ontomask.report.wording import INTERNAL, NOT_IN_REPORT, NOT_LISTED, counted

__all__ = ["as_text"]

_WIDTH = 100


def as_text(report: Report) -> str:
    """The report, section by section."""
    lines = [clean(report.title), "=" * min(len(clean(report.title)), _WIDTH), ""]
    if report.internal:
        lines += [*_paragraph(INTERNAL), ""]
    lines += _columns((h.label, h.value, h.sentence) for h in report.headlines)
    for title, inside in _sections(report):
        lines += ["", title, "-" * len(title), *inside]
    return "\n".join([*lines, "", *_paragraph(NOT_IN_REPORT)]) + "\n"


def _sections(report: Report) -> Iterator[tuple[str, list[str]]]:
    yield "What was done, and why this method", list(_method(report))
    yield "The guarantee and its proof", list(_guarantee(report))
    if report.mapping:
        yield "How values were mapped to concepts", list(_mapping(report))
    yield "Utility: what the masking cost", [*_measures(report, "utility"), *_distributions(report)]
    yield "Risk: what can still be found out", [*_measures(report, "risk"), "", *_exposure(report)]
    if report.comparison is not None:
        yield "Other methods on the same table", list(_comparison(report))
    if report.sources:
        yield "Sources and licences", list(_sources(report))
    yield "Notes and references", list(_notes(report))


def _method(report: Report) -> Iterator[str]:
    method = report.method
    yield method.name
    yield from _paragraph(f"{method.what} {method.why}")
    if report.advice is not None:
        advice = report.advice
        basis = "measured on these data" if advice.measured else "by the literature, not measured on these data"
        yield from _paragraph(f"Recommended: {advice.method} ({basis}).")
        yield from _bullets((*advice.reasons, *(f"Caution: {caution}" for caution in advice.cautions)))
    yield ""
    yield from _columns(method.parameters.items())
    yield from _columns((f.name.replace("_", " "), f.column, readable(f.value)) for f in method.figures)
    yield ""
    yield from _columns((c.name, c.role, c.kind, c.distance) for c in report.table.columns)
    yield from _paragraph(counted(report.table))
    yield from _columns(report.about.items())


def _guarantee(report: Report) -> Iterator[str]:
    yield from _paragraph(report.guarantee.text)
    for sentence in report.guarantee.proof:
        yield from _paragraph(sentence)
    if report.guarantee.query:
        yield f"  {clean(report.guarantee.query)}"


def _mapping(report: Report) -> Iterator[str]:
    for m in report.mapping:
        yield from _paragraph(f"{m.column} → {m.taxonomy}, under {m.domain}")
        rules = ", ".join(f"{rule} {number:,}" for rule, number in m.rules.items())
        yield from _bullets(
            [
                f"{m.mapped_values:,} of {m.values:,} values mapped ({m.value_coverage:.1%}), {m.mapped_records:,} of "
                f"{m.records:,} records ({m.record_coverage:.1%}), {m.missing:,} missing",
                f"by rule: {rules or 'none'}",
                *([f"taken in the first of several senses: {m.first_senses:,}"] if m.first_senses else []),
                *([f"without a concept: {m.unmapped_values:,}"] if m.unmapped_values else []),
            ]
        )


def _measures(report: Report, about: str) -> Iterator[str]:
    chosen = [m for m in report.measures if m.about == about]
    yield from _columns((m.title, m.shown, m.meaning) for m in chosen)


def _distributions(report: Report) -> Iterator[str]:
    for d in report.distributions:
        yield ""
        yield from _paragraph(f"{d.column}, records before and after. {d.note}")
        counts = zip(d.categories, d.original, d.masked, strict=True)
        yield from _columns((name, f"{before:,}", f"→ {after:,}") for name, before, after in counts)


def _exposure(report: Report) -> Iterator[str]:
    exposure = report.exposure
    yield "Records by the chance of being linked, by whichever intruder is most likely to:"
    yield from _columns((band.chance, f"{band.records:,}") for band in exposure.bands)
    yield from _paragraph(f"The highest chance is {exposure.highest:.1%}; {exposure.as_exposed:,} records have it.")
    if exposure.rows is None:
        yield from _paragraph(NOT_LISTED)
    else:
        yield "Most exposed rows of the table that was masked, counted from 0:"
        yield from _columns((f"row {row.row:,}", f"{row.probability:.1%}") for row in exposure.rows)


def _comparison(report: Report) -> Iterator[str]:
    facts = report.comparison
    assert facts is not None
    yield from _columns(
        [
            ("method", MEASURES[facts.risk], MEASURES[facts.loss], "runs", "unbeaten"),
            *(
                (
                    m.method,
                    m.shown(facts.risk),
                    m.shown(facts.loss),
                    m.runs_shown,
                    "yes" if m.on_frontier else "",
                )
                for m in facts.methods
            ),
        ]
    )
    yield from _bullets(facts.remarks)
    if facts.refused:
        yield from _paragraph(f"These could not mask the table: {', '.join(facts.refused)}.")


def _sources(report: Report) -> Iterator[str]:
    for source in report.sources:
        name = source.name or "A taxonomy without a name"
        yield from _paragraph(
            f"{name} (concepts of {', '.join(source.columns)}): {source.licence or 'the source names no licence.'}"
        )


def _notes(report: Report) -> Iterator[str]:
    yield from _bullets(report.notes)
    yield from _bullets(f"{letter}: {title}" for letter, title in report.references.items())


def _paragraph(text: str) -> list[str]:
    return wrap(clean(text), _WIDTH)


def _bullets(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from wrap(clean(text), _WIDTH, initial_indent="- ", subsequent_indent="  ")


def _columns(lines: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of cells, one under the other; the last cell of each may be as long as it likes."""
    cells = [[clean(cell) for cell in line] for line in lines]
    last = max((len(line) for line in cells), default=1) - 1
    widths = [max(len(line[i]) for line in cells) for i in range(last)]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=False))
        yield ("  " + "  ".join([*padded, line[-1]])).rstrip()
