"""Options of recoding and resampling: which lose least on whole tables? (Martínez 2012, chapters 5 and 7)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.claims import less, smallest, together
from experiments.framework.measurements import Make, Row, Rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.grouping.options import mean_share, measured, relative, share_text
from ontomask.figures import Figure, small_multiples

DEFAULT, ONCE, TURN = "recoding, default", "at once", "in turn"
ONCE_WEIGHED, TURN_WEIGHED = "at once, ω", "in turn, ω"
ONCE_ANY, TURN_ANY = "at once, no H1", "in turn, no H1"
EQUALITY, RARITY, CHANCE = "equality", "discernibility", "chance (no H2)"
# The record that samples are sorted by, and the order of ties.
OURS, PRINTED = "resampling: table, tuple", "resampling: sample, random"
TABLE_RANDOM, SAMPLE_TUPLE = "resampling: table, random", "resampling: sample, tuple"

METHODS: Mapping[str, Make] = {
    DEFAULT: om.Recoding,
    ONCE: lambda k: om.Recoding(k, sequential=False),
    TURN: lambda k: om.Recoding(k, sequential=True),
    ONCE_WEIGHED: lambda k: om.Recoding(k, sequential=False, weighted=True),
    TURN_WEIGHED: lambda k: om.Recoding(k, sequential=True, weighted=True),
    ONCE_ANY: lambda k: om.Recoding(k, sequential=False, rarest_first=False),
    TURN_ANY: lambda k: om.Recoding(k, sequential=True, rarest_first=False),
    EQUALITY: lambda k: om.Recoding(k, criterion="equality"),
    RARITY: lambda k: om.Recoding(k, criterion="discernibility"),
    CHANCE: lambda k: om.Recoding(k, criterion="chance"),
    OURS: om.Resampling,
    TABLE_RANDOM: lambda k: om.Resampling(k, ties="random"),
    SAMPLE_TUPLE: lambda k: om.Resampling(k, reference="sample"),
    PRINTED: lambda k: om.Resampling(k, reference="sample", ties="random"),
}


def run(setting: Setting) -> Iterator[Row]:
    """All options on all tables."""
    yield from measured(setting, METHODS, ("loss",))


RULES = {
    "meaning-loses-less": smallest("loss", DEFAULT, (EQUALITY, RARITY, CHANCE)),
    "rarest-first-helps": together(
        less("loss", ONCE, ONCE_ANY, or_equal=True), less("loss", TURN, TURN_ANY, or_equal=True)
    ),
    "omega-helps": together(less("loss", ONCE_WEIGHED, ONCE), less("loss", TURN_WEIGHED, TURN)),
    "in-turn-first": less("loss", TURN, ONCE, levels=2),
    "default-schedule": smallest("loss", DEFAULT, (ONCE, TURN), factor=1.01),
    "same-end": together(less("loss", OURS, SAMPLE_TUPLE), less("loss", TABLE_RANDOM, PRINTED)),
    "ties-by-tuple": together(less("loss", OURS, TABLE_RANDOM), less("loss", SAMPLE_TUPLE, PRINTED)),
}


def figure(rows: Rows) -> Figure:
    """L as a multiple of that of the defaults."""
    recoding, resampling = (ONCE, TURN, ONCE_WEIGHED, EQUALITY), (TABLE_RANDOM, SAMPLE_TUPLE, PRINTED)
    shape: dict[str, Any] = {"width": 130, "height": 180, "log_y": True}
    charts = relative(rows, "loss", recoding, DEFAULT, **shape)
    charts += relative(rows, "loss", resampling, OURS, first_style=len(recoding), **shape)
    return small_multiples(charts, columns=len(charts) // 2, title="L, times that of the default", same_scale=True)


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer."""
    times = partial(share_text, rows, "loss")
    wide = pl.col("columns").is_in(("with age", "6 columns"))
    return {
        "ties": share_text(rows.where(~wide), "loss", OURS, TABLE_RANDOM),
        "ties_with_others": share_text(rows.where(wide), "loss", OURS, TABLE_RANDOM),
        "omega": times(ONCE_WEIGHED, ONCE),
        "equality": times(EQUALITY, DEFAULT),
        "in_turn": times(TURN, ONCE),
        "default": max(mean_share(rows, "loss", DEFAULT, one)[1] for one in (ONCE, TURN)),
        "as_printed": times(PRINTED, OURS),
    }


def tables(rows: Rows) -> dict[str, str]:
    """The loss by k."""
    return {"L in percent": by_level(rows, "loss", columns=None)}


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
