"""What do intruders who know the method learn from each method?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product

import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, computed, less
from experiments.framework.measurements import Figures, Row, Rows, measure
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import DIABETES, draw, public_tables
from ontomask.figures import BarChart, Bars, Figure, small_multiples

RECORDS = 3000
SWAPPED: Mapping[str, om.Method] = {
    "rank swapping, k = 5": om.RankSwapping(5),
    "rank swapping, k = 50": om.RankSwapping(50),
    "unswapped partners, k = 5": om.RankSwapping(5, interval="unswapped"),
    "frequency swap, k = 5": om.DistributionalRankSwapping(5),
    "data swapping": om.DataSwapping(),
}
NOISY: Mapping[str, om.Method] = {
    "uncorrelated noise, α = 0.3": om.UncorrelatedNoise(0.3),
    "correlated noise, α = 0.3": om.CorrelatedNoise(0.3),
    "PRAM, 80 % stay": om.PRAM(0.8),
    "naive distortion": om.NaiveDistortion(),
    "probabilistic distortion": om.ProbabilisticDistortion(),
}
METHODS: Mapping[str, om.Method] = {
    "microaggregation, k = 5": om.Microaggregation(5),
    "recoding, k = 5": om.Recoding(5),
    "generalisation, k = 5": om.Generalisation(5),
    "resampling, k = 5": om.Resampling(5),
    "suppression, k = 5": om.Suppression(5),
    **SWAPPED,
    **NOISY,
    "metric privacy, ε = 4": om.MetricPrivacy(4.0),
}
TITLES = {
    "srl": "linked by nearest meaning (SRL)",
    "linked_by_method": "linked by knowing the method",
    "recovered": "values read back",
}
# Of all records, and of those that are unique in the original.
DRAWN = {"srl": TITLES["srl"], "linked_by_method": TITLES["linked_by_method"],
         "linked_uniques": "… in % of the unique records"}  # fmt: skip


def run(setting: Setting) -> Iterator[Row]:
    """Attack every method on samples."""
    for (table, whole), seed in product(attacked(setting).items(), setting.seeds(5)):
        data = draw(whole, setting.size(RECORDS), seed)
        yield from measure(table, data, METHODS, [None], [seed], judge=partial(attacks, seed))


def attacked(setting: Setting) -> dict[str, om.Microdata]:
    """The public tables. Metric privacy needs a public domain, so the diagnoses are those of all of ICD-9-CM."""
    tables = public_tables(setting)
    if DIABETES in tables:
        icd9 = om.load_icd9cm()
        pair = list(tables[DIABETES].quasi_identifiers)
        everything = om.Nominal(icd9, domain=icd9.root)
        tables[DIABETES] = om.Microdata(tables[DIABETES].frame.select(pair), dict.fromkeys(pair, everything))
    return tables


def attacks(seed: int, data: om.Microdata, result: om.Result) -> Figures:
    """What the intruders find, and the loss."""
    score = om.evaluate(data, result, seed=seed)
    found: dict[tuple[str, str], float | None] = {(name, ""): getattr(score, name) for name in TITLES}
    found["loss", ""] = score.loss_percent
    if score.attacks is not None and score.attacks.method is not None:
        found["mode", ""] = score.attacks.method.mode
        found["linked_uniques", ""] = score.attacks.method.linked_uniques
    if score.attacks is not None and score.attacks.ranks is not None:
        found["certain", ""] = score.attacks.ranks.certain
    return found


CLAIMS = (
    Claim("knowing-the-method-links-more",
          "After swapping, noise, PRAM and distortion, an intruder who knows the method links more records than SRL "
          "shows",
          "ours", computed(pl.col("linked_by_method") - pl.col("srl"), methods=(*SWAPPED, *NOISY)),
          "SRL takes the nearest row for the right one. An intruder who knows the method weighs all rows by how likely "
          "the method makes them.",
          glance="Intruders who know the method link more than SRL shows"),
    Claim("noise-is-read-back", "Values under noise with α = 0.3 are read back for more than half of the records",
          "ours", computed(pl.col("recovered") - 50, methods=list(NOISY)[:2]),
          "Errors that are small beside the distances between concepts leave few possible originals.",
          glance="Noise with α = 0.3 is read back for more than half of the records"),
    Claim("more-than-the-mode",
          "From noise, PRAM and distortion, more values are read back than by guessing the most frequent ones",
          "ours", computed(pl.col("recovered") - pl.col("mode"), methods=NOISY)),
    Claim("ranks-intersect",
          "Rank swapping leaves some records certain for an intruder who intersects the intervals of both columns",
          "ours", computed(pl.col("certain"), methods=SWAPPED),
          "Nin 2008 intersects the intervals of several columns. With two columns, each interval leaves many "
          "records."),
    Claim("groups-link-less",
          "With k = 5, an intruder who knows the method links fewer records after microaggregation than after rank "
          "swapping or noise, and microaggregation loses less",
          "ours",
          less(("linked_by_method", "loss"), "microaggregation, k = 5", ("rank swapping, k = 5", *list(NOISY)[:2]))),
)  # fmt: skip


def figure(measured: Rows) -> Figure:
    """What the three intruders find, by method."""
    names = [name for name in METHODS if name in measured.methods()]
    charts = []
    for table in measured.tables:
        bars = [Bars(title, [measured.mean(what, n, None, table) for n in names]) for what, title in DRAWN.items()]
        charts.append(BarChart(names, bars, title=table, value_title="% of the records", width=290, height=500))
    return small_multiples(charts, columns=2, title="What intruders learn", same_scale=True)


def answer(measured: Rows) -> str:
    """The answer with its figures."""
    noise, swap, grouped = "uncorrelated noise, α = 0.3", "rank swapping, k = 5", "microaggregation, k = 5"

    def shown(measure: str, method: str) -> str:
        return " and ".join(f"{measured.mean(measure, method, None, table):.1f}" for table in measured.tables)

    return (
        "More than linkage by nearest meaning (SRL) shows. After uncorrelated noise with α = 0.3 on "
        f"{' and '.join(measured.tables)}, SRL is {shown('srl', noise)} %. An intruder who knows the method links "
        f"{shown('linked_by_method', noise)} % of the records, and {shown('linked_uniques', noise)} % of those that "
        f"are unique in the original, and reads back {shown('recovered', noise)} % of the value pairs. Rank swapping "
        f"with k = 5 leaves {shown('linked_uniques', swap)} % of the unique records linked, microaggregation "
        f"{shown('linked_uniques', grouped)} %, which the guarantee limits to 20 %. Metric privacy at ε = 4 leaves "
        f"{shown('recovered', 'metric privacy, ε = 4')} % to read back, about as many as guessing the most frequent "
        "pair. Frequent values can be read back after every method that keeps them, but this links no record to a "
        "person."
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
    caption="Records whose own released row is the best guess, mean over five samples: by nearest meaning, by knowing "
    "the method, and the latter for records that are unique in the original.",
    answer=answer,
    setup=(
        f"{RECORDS:,} random records of each table, five seeds. *Unswapped partners*: rank swapping among the k "
        "nearest unswapped records. The intruder knows the original pairs of everybody, the method with its "
        "parameters and the ontology, but not the random numbers (Torra 2017). Probabilities are exact for noise, "
        "PRAM and metric privacy, and estimated from re-runs for rank swapping. Metric privacy draws from the "
        "operating system, so its figures differ a little from run to run. Details are in [the privacy "
        "guide](../guides/privacy.md)."
    ),
    claims=CLAIMS,
    tables=tables,
)
