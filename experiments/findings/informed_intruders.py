"""What do intruders who know the method learn from each method?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import nan
from pathlib import Path

import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, Rule, less, margins
from experiments.framework.measurements import Row, Rows, rows
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, draw, public_tables
from ontomask.examples import diabetes130_data
from ontomask.figures import BarChart, Bars, Figure, small_multiples

RECORDS = 3000
GROUPED: Mapping[str, om.Method] = {
    "microaggregation, k = 5": om.Microaggregation(5),
    "recoding, k = 5": om.Recoding(5),
    "generalisation, k = 5": om.Generalisation(5),
    "resampling, k = 5": om.Resampling(5),
}
SWAPPED: Mapping[str, om.Method] = {
    "rank swapping, k = 5": om.RankSwapping(5),
    "rank swapping, k = 50": om.RankSwapping(50),
    "rank swapping, unswapped, k = 5": om.RankSwapping(5, interval="unswapped"),
}
NOISY: Mapping[str, om.Method] = {
    "uncorrelated noise, α = 0.3": om.UncorrelatedNoise(0.3),
    "correlated noise, α = 0.3": om.CorrelatedNoise(0.3),
    "PRAM, 80 % stay": om.PRAM(0.8),
    "naive distortion": om.NaiveDistortion(),
}
PRIVATE: Mapping[str, om.Method] = {"metric privacy, ε = 4": om.MetricPrivacy(4.0)}
METHODS = {**GROUPED, **SWAPPED, **NOISY, **PRIVATE}
TITLES = {
    "srl": "linked by nearest meaning (SRL)",
    "linked_by_method": "linked by who knows the method",
    "recovered": "values read back",
}


@cache
def _public_diagnoses(path: Path) -> om.Microdata:
    """Two diagnoses with a public domain, which metric privacy needs."""
    data = diabetes130_data(path, "diag_1", "diag_2")
    icd9 = om.load_icd9cm()
    return om.Microdata(data.frame.select("diag_1", "diag_2"), dict.fromkeys(("diag_1", "diag_2"), om.Nominal(
        icd9, domain=icd9.root)))  # fmt: skip


def run(setting: Setting) -> Iterator[Row]:
    """Attack every method on samples."""
    tables = {ADULT: public_tables(setting)[ADULT]}
    if setting.diabetes130 is not None:
        tables[DIABETES] = _public_diagnoses(setting.diabetes130)
    for table, whole in tables.items():
        for seed in setting.seeds(5):
            data = draw(whole, setting.size(RECORDS), seed)
            for name, method in METHODS.items():
                masked = method.mask(data, seed=seed) if method.takes_seed else method.mask(data)
                score = om.evaluate(data, masked, seed=seed)
                found: dict[tuple[str, str], float | None] = {
                    (one, ""): getattr(score, one) for one in ("srl", "linked_by_method", "recovered")
                }
                found["loss", ""] = score.loss_percent
                attacks = score.attacks
                if attacks is not None and attacks.method is not None:
                    found["mode", ""] = attacks.method.mode
                    found["linked_uniques", ""] = attacks.method.linked_uniques
                if attacks is not None and attacks.ranks is not None:
                    found["certain", ""] = attacks.ranks.certain
                yield from rows(found, table=table, method=name, seed=seed)


def _methods_beyond(measure: str, limit: float | str, names: Mapping[str, om.Method], *, above: bool = True) -> Rule:
    """A figure of each method is above (or below) a limit, or above another figure of the same run."""

    def rule(measured: Rows) -> pl.DataFrame:
        frame = measured.frame.filter(pl.col("method").is_in(list(names)))
        wide = frame.pivot("measure", index=["table", "method", "seed"], values="value")
        beyond = pl.col(measure) - (pl.col(limit) if isinstance(limit, str) else limit)
        chosen = wide.select("table", case="method", seed="seed", margin=beyond if above else -beyond)
        return margins(chosen.drop_nulls().select("table", "case", "seed", "margin").iter_rows())

    return rule


CLAIMS = (
    Claim(
        "knowing-the-method-links-more",
        "Who knows the method links more records than SRL shows: rank swapping, noise and PRAM",
        "ours",
        _methods_beyond("linked_by_method", "srl", {**SWAPPED, **NOISY}),
        "SRL takes the nearest row for the right one. Who knows the method weighs all rows by how likely the method "
        "makes them.",
        glance="Intruders who know the method link more than SRL shows",
    ),
    Claim(
        "noise-is-read-back",
        "Values under noise with α = 0.3 are read back for more than half of the records",
        "ours",
        _methods_beyond("recovered", 50.0, {name: NOISY[name] for name in list(NOISY)[:2]}),
        "Errors that are small beside the distances between concepts leave few possible originals.",
        glance="Noise with α = 0.3 is read back for more than half of the records",
    ),
    Claim(
        "more-than-the-mode",
        "From noise, PRAM and distortion, more values are read back than by guessing the most frequent ones",
        "ours",
        _methods_beyond("recovered", "mode", NOISY),
    ),
    Claim(
        "ranks-intersect",
        "Rank swapping leaves some records certain for an intruder who intersects the intervals of both columns",
        "ours",
        _methods_beyond("certain", 0.0, SWAPPED),
        "Nin et al. 2008 intersect the intervals of several columns; with one ontology per column they overlap little.",
    ),
    Claim(
        "groups-link-less",
        "Microaggregation with k = 5 is linked less than rank swapping and noise by who knows the method, and loses "
        "less",
        "ours",
        less(
            ("linked_by_method", "loss"), "microaggregation, k = 5",
            ("rank swapping, k = 5", "uncorrelated noise, α = 0.3", "correlated noise, α = 0.3"),
        ),
    ),
)  # fmt: skip


def figure(measured: Rows) -> Figure:
    """What the three intruders find, by method."""
    names = [name for name in METHODS if name in measured.methods()]
    charts = [
        BarChart(
            names,
            [Bars(title, [_or_none(measured.mean(what, name, None, table)) for name in names])
             for what, title in TITLES.items()],
            title=table,
            value_title="% of the records",
            width=420,
        )
        for table in measured.tables
    ]  # fmt: skip
    return small_multiples(charts, columns=2, title="What intruders learn", same_scale=True)


def _or_none(value: float) -> float:
    return value if value == value else nan


def answer(measured: Rows) -> str:
    """The answer with its figures."""
    noise, swap, grouped = "uncorrelated noise, α = 0.3", "rank swapping, k = 5", "microaggregation, k = 5"

    def shown(measure: str, method: str) -> str:
        return " and ".join(f"{measured.mean(measure, method, None, table):.1f}" for table in measured.tables)

    return (
        f"More than SRL shows. After uncorrelated noise with α = 0.3 on {' and '.join(measured.tables)}, SRL is "
        f"{shown('srl', noise)} %. Who knows the method links {shown('linked_by_method', noise)} % of the records, and "
        f"{shown('linked_uniques', noise)} % of those that are unique in the original, and reads back "
        f"{shown('recovered', noise)} % of the value pairs. Rank swapping with k = 5 leaves "
        f"{shown('linked_uniques', swap)} % of the unique records linked, microaggregation "
        f"{shown('linked_uniques', grouped)} %, which the guarantee limits to 20 %. Metric privacy at ε = 4 leaves "
        f"{shown('recovered', 'metric privacy, ε = 4')} % to read back, about as many as guessing the most frequent "
        "pair. Values that many people share are read back after any method that keeps them; that links nobody."
    )


def tables(measured: Rows) -> dict[str, str]:
    """All figures by method."""
    whats = {**TITLES, "mode": "by guessing the mode", "linked_uniques": "linked, of unique records",
             "certain": "certain by rank intersection", "loss": "loss L"}  # fmt: skip
    found = {}
    for table in measured.tables:
        lines = [[name, *(measured.text(w, name, None, table, digits=1) for w in whats)] for name in METHODS]
        found[f"{table}, in percent"] = markdown(["", *whats.values()], lines)
    return found


EXPERIMENT = Experiment(
    title="Intruders who know the method",
    question="What do intruders learn who have read the documentation of the method?",
    measure=run,
    figure=figure,
    caption="Shares of the records, mean over five samples. *Linked*: the best guess is the record's own released row. "
    "*Read back*: the best guess is the original pair of values.",
    answer=answer,
    setup=(
        f"{RECORDS:,} random records of each table, five seeds. The intruder knows the original pairs of everybody, "
        "the method with its parameters and the ontology, but not the random numbers (Torra 2017). Probabilities "
        "are exact for noise, PRAM and metric privacy, and estimated from re-runs for rank swapping. Metric privacy "
        "draws from the operating system, so its figures differ a little from run to run. Details are in "
        "[the privacy guide](../guides/privacy.md)."
    ),
    claims=CLAIMS,
    tables=tables,
)
