"""Generalisation and suppression as baselines (after Martínez 2012, sections 8.4.2 and 9.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import ontomask as om
from experiments.framework.claims import less, smallest
from experiments.framework.measurements import Make, Row, Rows, measure
from experiments.framework.pages import Experiment, by_level, charts
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, other_ties, public_tables
from ontomask.figures import Figure, small_multiples

KS = {ADULT: (2, 5, 10, 50, 500), DIABETES: (2, 5, 20)}
COST, FIRST, PER_RECORD = LOCAL = ("local, by cost", "local, best-first", "local, best-first per record")
FULL, FULL_SPARE = FULL_DOMAIN = ("full domain", "full domain with 5 % left out")
CELLS, RECORDS = "cells suppressed", "records suppressed"
METHODS: Mapping[str, Make] = {
    COST: om.Generalisation,
    FIRST: lambda k: om.Generalisation(k, variant="best_first"),
    PER_RECORD: lambda k: om.Generalisation(k, variant="best_first", steps="records"),
    CELLS: lambda k: om.Suppression(k, mode="cells"),
    FULL: lambda k: om.Generalisation(k, mode="full_domain"),
    FULL_SPARE: lambda k: om.Generalisation(k, mode="full_domain", suppression=0.05),
    RECORDS: om.Suppression,
}


def run(setting: Setting) -> Iterator[Row]:
    """Measure all methods on whole tables, by a distance that did not mask."""
    kept = ("loss", "semantic_loss", "srl", "suppressed")
    for name, data in public_tables(setting).items():
        ks = setting.levels(KS[name][1:] if setting.quick else KS[name])
        seeds = setting.seeds(10 if name == ADULT else 5)
        yield from measure(name, partial(other_ties, data), METHODS, ks, seeds, distance="log_sc", only=kept)


RULES = {
    "local-loses-least": smallest("loss", COST, [name for name in METHODS if name != COST]),
    "full-domain-loses-more": less("loss", LOCAL, FULL_DOMAIN),
    "records-lose-more": less("loss", LOCAL, RECORDS),
    "cells-lose-less": less("loss", CELLS, RECORDS),
    "records-lose-most": less("loss", FULL, RECORDS),
    "steps-per-record-lose-less": less("semantic_loss", PER_RECORD, FIRST),
    "steps-per-record-lose-less-squared": less("loss", PER_RECORD, FIRST),
    "less-loss-more-linked": less("srl", (FIRST, PER_RECORD), COST),
}


def figure(rows: Rows) -> Figure:
    """L by k."""
    shown = (COST, FIRST, CELLS, *FULL_DOMAIN, RECORDS)
    panels = charts(rows, "loss", shown, y_title="L (%)", log_x=True, log_y=True, width=380)
    return small_multiples(panels, title="Loss of generalisation and suppression", same_scale=True)


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer, at k = 5."""

    def losses(table: str) -> str:
        shown = (COST, CELLS, FULL_SPARE, RECORDS, FULL)
        return "; ".join(f"{name} {rows.mean('loss', name, 5, table):.3g} %" for name in shown)

    return {
        "adult": losses(ADULT),
        "diabetes": losses(DIABETES),
        "times": rows.mean("loss", COST, 5, DIABETES) / rows.mean("loss", FIRST, 5, DIABETES),
        "srl_by_cost": rows.mean("srl", COST, 5, DIABETES),
        "srl_best_first": rows.mean("srl", FIRST, 5, DIABETES),
    }


def tables(rows: Rows) -> dict[str, str]:
    """Loss, linkage and suppressed records by k."""
    return {
        "L in percent": by_level(rows, "loss"),
        "Semantic loss": by_level(rows, "semantic_loss", digits=4),
        "SRL in percent": by_level(rows, "srl"),
        "Records left out": by_level(rows, "suppressed", methods=(FULL_SPARE, RECORDS), digits=0),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
