"""A report as one HTML page: a Jinja2 template that escapes all texts, and the figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, count
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ontomask.base.text import one_line, readable
from ontomask.comparison.results import Comparison
from ontomask.figures import BarChart, Bars, Figure
from ontomask.report.contents import ComparisonFacts, Distribution, Exposure, MethodFigure
from ontomask.report.guarantee import GroupSizes, band_name
from ontomask.report.loss import LossFacts
from ontomask.report.report import Report, group_measures

__all__ = ["draw_comparison", "draw_distribution", "render_html"]

# Larger reports are too heavy for a browser.
_MOST_DISTRIBUTIONS = 40
_MOST_IN_MATRIX = 24
_MOST_PAIRS = 10
_MOST_FOLDED_PAIRS = 90

# Title, number of values, and named values (if any) in `MappingFacts`.
_MAPPING_LISTS = (
    ("Values with several senses, mapped to the first", "first_senses", "named_first_senses"),
    ("Values mapped to a suggestion for its score", "accepted_values", "named_accepted"),
    ("Values whose concept changed in the ontology since it was chosen", "changed_values", ""),
    ("Values that are narrower or broader than their concept, or only related to it", "inexact", "named_inexact"),
    ("Values without a concept", "unmapped_values", "named_unmapped"),
    ("Entries of the mapping that match no value of the column", "unused_keys", ""),
)


def render_html(report: Report) -> str:
    """Render the page. The same report gives the same bytes."""
    drawn = [d for d in report.distributions if d.categories]
    folded = report.pairs[_MOST_PAIRS:]
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            number=count(1).__next__,
            drawn=drawn[:_MOST_DISTRIBUTIONS],
            not_drawn=len(drawn[_MOST_DISTRIBUTIONS:]),
            most_in_matrix=_MOST_IN_MATRIX,
            most_pairs=_MOST_PAIRS,
            more_pairs=folded[:_MOST_FOLDED_PAIRS],
            pairs_left_out=len(folded[_MOST_FOLDED_PAIRS:]),
            mapping_lists=_MAPPING_LISTS,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ontomask.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "svg": lambda figure: Markup(figure.svg),
        "groups": group_measures,
        "merged": lambda groups: list(chain.from_iterable(groups)),
        "crosstab": _crosstab,
    }
    environment.globals |= {
        "draw_distribution": draw_distribution,
        "draw_exposure": _draw_exposure,
        "draw_loss": _draw_loss,
        "draw_sizes": _draw_sizes,
        "draw_comparison": draw_comparison,
    }
    return environment


def _printable(value: object) -> object:
    """Text on one line without unsafe characters; Jinja escapes it afterwards. Markup stays as it is."""
    return value if isinstance(value, Markup) else one_line(value)


def _crosstab(figures: Sequence[MethodFigure]) -> tuple[list[str], list[list[str]]]:
    """The titles and rows of a table with a row for each column and a column for each figure."""
    shown = {(f.column, f.name.replace("_", " ")): readable(f.value) for f in figures}
    names = list(dict.fromkeys(name for _, name in shown))
    columns = dict.fromkeys(column for column, _ in shown)
    rows = [[column or "whole table", *(shown.get((column, name), "") for name in names)] for column in columns]
    return ["column", *names], rows


def draw_distribution(facts: Distribution) -> Figure:
    """Draw the frequencies of a column's values before and after."""
    bars = [Bars("original", facts.original), Bars("masked", facts.masked)]
    height = max(60, 24 * len(facts.categories))
    return BarChart(
        facts.categories, bars, value_title="records", title=facts.column, width=280, height=height
    ).figure()


def _draw_exposure(facts: Exposure) -> Figure:
    bars = [Bars("", [band.records for band in facts.bands])]
    title = "Records by their chance of being linked"
    return BarChart([band.chance for band in facts.bands], bars, value_title="records", title=title).figure()


def _draw_sizes(facts: GroupSizes) -> Figure:
    bars = [Bars("", [band.records for band in facts.bands])]
    title = "Records by the size of their group"
    names = [band_name(band) for band in facts.bands]
    return BarChart(names, bars, value_title="records", title=title, width=280).figure()


def _draw_loss(facts: LossFacts) -> Figure:
    bars = [Bars("", [column.share for column in facts.columns[:_MOST_DISTRIBUTIONS]])]
    names = [column.column for column in facts.columns[:_MOST_DISTRIBUTIONS]]
    height = max(60, 18 * len(names))
    return BarChart(names, bars, value_title="% of the loss", title="Loss by column", width=280, height=height).figure()


def draw_comparison(facts: ComparisonFacts) -> Figure:
    """Draw the map of risk and loss."""
    rows: list[dict[str, Any]] = []
    for m in facts.methods:
        run = {"method": m.method, "family": m.family, "seed": 0, "columns": m.columns, "error": None}
        rows.append({**run, **m.measures})
        if m.failed:
            rows.append({**run, "error": "failed"})
    return Comparison(tuple(rows)).figure(facts.risk, facts.loss)
