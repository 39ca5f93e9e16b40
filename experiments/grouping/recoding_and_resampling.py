"""Options of recoding and resampling: which lose least on whole tables? (Martínez 2012, chapters 5 and 7)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import ontomask as om
from experiments.framework.claims import Claim, less, together
from experiments.framework.measurements import Make, Row, Rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.grouping.options import SETUP, mean_share, measured, relative, share_text
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
# The tolerance for being no worse than the better schedule.
NEARLY = 1.01


def run(setting: Setting) -> Iterator[Row]:
    """All options on all tables."""
    yield from measured(setting, METHODS, ("loss",))


CLAIMS = (
    Claim("meaning-loses-less", "Recoding by meaning loses less than by equality, discernibility or chance",
          "Martínez 2012, section 5.2", less("loss", DEFAULT, (EQUALITY, RARITY, CHANCE))),
    Claim("rarest-first-helps", "Recoding loses no more if the rarest tuples move first (H1)",
          "Martínez 2012, section 5.2.2",
          together(less("loss", ONCE, ONCE_ANY, or_equal=True), less("loss", TURN, TURN_ANY, or_equal=True))),
    Claim("omega-helps", "Recoding loses less with ω, as printed, than without",
          "Martínez 2012, Algorithm 2, eq. 4.2",
          together(less("loss", ONCE_WEIGHED, ONCE), less("loss", TURN_WEIGHED, TURN)),
          "ω makes rare tuples move to rare tuples instead of close ones. So `weighted=False` is the default."),
    Claim("in-turn-first", "Recoding in turn loses less than at once at k = 2",
          "ours", less("loss", TURN, ONCE, levels=2),
          "At once, all rare tuples move to the few that are less rare; in turn, they pair off."),
    Claim("default-schedule", "The default of recoding loses at most 1 % more than the better of both schedules",
          "ours", less("loss", DEFAULT, (ONCE, TURN), factor=NEARLY)),
    Claim("same-end",
          "Resampling loses less if samples are sorted from the table's extreme than from each sample's own",
          "ours", together(less("loss", OURS, SAMPLE_TUPLE), less("loss", TABLE_RANDOM, PRINTED)),
          "The extreme record of one sample may be at the opposite end from that of the next. Then records from "
          "opposite ends are averaged."),
    Claim("ties-by-tuple", "Resampling loses less if ties are broken by tuple than at random",
          "ours", together(less("loss", OURS, TABLE_RANDOM), less("loss", SAMPLE_TUPLE, PRINTED)),
          "Equal records that stay together in every sample are averaged with equal records. With age, few distances "
          "are equal."),
)  # fmt: skip


def figure(rows: Rows) -> Figure:
    """L as a multiple of that of the defaults."""
    recoding, resampling = (ONCE, TURN, ONCE_WEIGHED, EQUALITY), (TABLE_RANDOM, SAMPLE_TUPLE, PRINTED)
    shape: dict[str, Any] = {"width": 130, "height": 185, "log_y": True}
    charts = relative(rows, "loss", recoding, DEFAULT, title="recoding, ", **shape)
    charts += relative(rows, "loss", resampling, OURS, title="resampling, ", first_style=len(recoding), **shape)
    return small_multiples(charts, columns=len(charts) // 2, title="L, times that of the default", same_scale=True)


def answer(rows: Rows) -> str:
    """The answer with its figures."""
    times = partial(share_text, rows, "loss")
    return (
        "Recoding by meaning, without ω; and resampling that sorts all samples from the same end and keeps equal "
        "records together. With ω, as the thesis (Martínez 2012) prints it, recoding at once loses "
        f"{times(ONCE_WEIGHED, ONCE)} as much as without. By equality it loses {times(EQUALITY, DEFAULT)} as much as "
        f"by meaning. Rare tuples that move in turn lose {times(TURN, ONCE)} as much as at once; the default chooses "
        "between the two and loses at most "
        f"{max(mean_share(rows, 'loss', DEFAULT, one)[1] for one in (ONCE, TURN)):.2f} times as much as the better. "
        f"Resampling that sorts from each sample's own extreme, with random ties, loses {times(PRINTED, OURS)} as much "
        "as the default."
    )


EXPERIMENT = Experiment(
    title="Recoding and resampling",
    question="Which options of recoding and of resampling lose least?",
    measure=run,
    figure=figure,
    caption=(
        "L by k as a multiple of the L of the default (1): recoding above, resampling below, on logarithmic scales; "
        "mean, smallest and largest seed. Less is better."
    ),
    answer=answer,
    setup=(
        f"{SETUP} Recoding: *at once* and *in turn* are `sequential=False` and `True`; the default goes in turn if the "
        "first pass would leave groups of more than 2k records on average. ω is `weighted=True`, H1 is `rarest_first`, "
        "H2 is any criterion except chance, and *discernibility* goes by rarity. Resampling: samples are sorted from "
        "the extreme record of the *table* or of each *sample*, and ties are broken by *tuple* or at *random*; *table, "
        "tuple* is the default."
    ),
    claims=CLAIMS,
    tables=lambda rows: {"L in percent": by_level(rows, "loss", columns=None)},
)
