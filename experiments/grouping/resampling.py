"""Resampling with and without meaning (Martínez 2012, section 7.3, Fig. 30)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.claims import largest, less, smallest
from experiments.framework.measurements import Make, Row, Rows, measure
from experiments.framework.pages import Experiment, by_level, charts
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, LINKS, THESIS, other_ties, public_tables, thesis_adult, under
from experiments.grouping.options import AsPrinted
from ontomask.figures import Figure, small_multiples
from ontomask.masking.resampling import SETTINGS

KS = (2, 3, 5, 7, 10, 15)
KEPT = ("loss", "srl")
EQUALITY, MODE, SUBSUMER, SEMANTIC = NAMES = (
    "1: equality, mode",
    "2: meaning, mode",
    "3: meaning, least common subsumer",
    "4: meaning, semantic centroid",
)
LOG_SC = "4, by LogSC"
# Our defaults mask by Wu–Palmer. These two did not, and disagree about subsumers. They are named in place of columns.
BY_LOG_SC, BY_PATH = "by LogSC", "by path"
YARDSTICKS = {"log_sc": BY_LOG_SC, "path": BY_PATH}


def methods(resampling: type[om.Resampling], **options: Any) -> dict[str, Make]:
    """The four settings of the thesis."""
    return {name: partial(resampling, **SETTINGS[number], **options) for number, name in enumerate(NAMES, start=1)}


def run(setting: Setting) -> Iterator[Row]:
    """The thesis's configuration and ours."""
    ks = setting.levels(KS)
    # Settings 2 and 3 compare by Wu–Palmer; for 4, the section names no measure, and chapter 4 has LogSC.
    # Each sample is sorted from its own extreme record; the thesis does not say how ties are broken.
    made = methods(AsPrinted, reference="sample", ties="random")
    for data, of in ((under(thesis_adult(), LINKS), made), (thesis_adult(), {LOG_SC: made[SEMANTIC]})):
        records = partial(other_ties, data)
        yield from measure(THESIS, records, of, ks, setting.seeds(), distance=LINKS, scope="ontology", only=KEPT)
    for name, data in public_tables(setting).items():
        seeds = setting.seeds(10 if name == ADULT else 5)
        for judge, columns in YARDSTICKS.items():
            records = partial(other_ties, data)
            for row in measure(name, records, methods(om.Resampling), ks, seeds, distance=judge, only=KEPT):
                yield {**row, "columns": columns}


def loses_most_at_most_levels(rows: Rows) -> pl.DataFrame:
    """Whether setting 1 has the largest loss at more than half of the levels."""
    wide = rows.where(measures="loss").wide("method")
    most = (pl.col(EQUALITY) >= pl.max_horizontal(*NAMES[1:])).mean() - 0.5
    return wide.group_by("table", "seed", case="columns").agg(margin=most)


RULES = {
    "resampling-by-meaning-loses-least": smallest("loss", SEMANTIC, NAMES[:3]),
    "also-by-log-sc": smallest("loss", LOG_SC, NAMES[:3]),
    "equality-loses-most": loses_most_at_most_levels,
    "comparison-alone-helps": less("loss", MODE, EQUALITY),
    "subsumers-first-better": smallest("loss", SUBSUMER, (EQUALITY, MODE), levels=KS[:1]),
    "subsumers-then-worse": largest("loss", SUBSUMER, (EQUALITY, MODE), levels=KS[-1:]),
}


def figure(rows: Rows) -> Figure:
    """Martínez 2012, Fig. 30."""
    shape: dict[str, Any] = {"y_title": "L (%)", "log_y": True, "width": 110, "height": 290}
    panels = charts(rows, "loss", NAMES, **shape)
    for columns in YARDSTICKS.values():
        panels += charts(rows, "loss", NAMES, columns=columns, title=f"{{}}, {columns}", **shape)
    # The levels are texts: small ones would be drawn over each other.
    named = [[replace(line, x=[f"{k:g}" for k in line.x]) for line in panel.lines] for panel in panels]
    panels = [replace(panel, lines=lines) for panel, lines in zip(panels, named, strict=True)]
    return small_multiples(panels, columns=5, title="Loss of resampling", same_scale=True)


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer: losses at k = 5, and how much less the centroid loses than resampling by equality."""

    def saved(table: str, columns: str) -> list[str]:
        of = partial(rows.mean, "loss", table=table, columns=columns)
        found = [100 - 100 * of(SEMANTIC, level=k) / of(EQUALITY, level=k) for k in KS]
        return [f"{share:.0f}".replace("-", "−") for share in (found[0], found[-1], min(found), max(found))]

    return {
        "thesis": [rows.mean("loss", name, 5, THESIS) for name in (SEMANTIC, LOG_SC, EQUALITY)],
        "diabetes_by_path": [rows.mean("loss", name, 5, DIABETES, BY_PATH) for name in (SUBSUMER, SEMANTIC)],
        "saved_adult": {columns: saved(ADULT, columns) for columns in YARDSTICKS.values()},
        "saved_diabetes": {columns: saved(DIABETES, columns) for columns in YARDSTICKS.values()},
    }


def tables(rows: Rows) -> dict[str, str]:
    """Loss and linkage by k."""
    return {
        "L in percent": by_level(rows, "loss", columns=None),
        "SRL in percent": by_level(rows, "srl", columns=None),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
