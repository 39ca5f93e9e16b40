"""What do intruders who know the method learn from each method?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product

import polars as pl

import ontomask as om
from experiments.framework.claims import computed, smallest
from experiments.framework.measurements import Figures, Row, Rows, bars, measure
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import DIABETES, draw, public_tables
from ontomask.figures import BarChart, Figure, small_multiples

RECORDS = 3000
# No method masks by it.
YARDSTICK = "path"
GROUPED, SWAPPED_5, PRIVATE = "microaggregation, k = 5", "rank swapping, k = 5", "metric privacy, ε = 4"
UNCORRELATED, CORRELATED = "uncorrelated noise, α = 0.3", "correlated noise, α = 0.3"
RIVALS = (SWAPPED_5, UNCORRELATED, CORRELATED)
SWAPPED: Mapping[str, om.Method] = {
    SWAPPED_5: om.RankSwapping(5),
    "rank swapping, k = 50": om.RankSwapping(50),
    "unswapped partners, k = 5": om.RankSwapping(5, interval="unswapped"),
    "frequency swap, k = 5": om.DistributionalRankSwapping(5),
    "data swapping": om.DataSwapping(),
}
NOISY: Mapping[str, om.Method] = {
    UNCORRELATED: om.UncorrelatedNoise(0.3),
    CORRELATED: om.CorrelatedNoise(0.3),
    "PRAM, 80 % stay": om.PRAM(0.8),
    "naive distortion": om.NaiveDistortion(),
    "probabilistic distortion": om.ProbabilisticDistortion(),
}
METHODS: Mapping[str, om.Method] = {
    GROUPED: om.Microaggregation(5),
    "recoding, k = 5": om.Recoding(5),
    "generalisation, k = 5": om.Generalisation(5),
    "resampling, k = 5": om.Resampling(5),
    "suppression, k = 5": om.Suppression(5),
    **SWAPPED,
    **NOISY,
    # A seed voids the guarantee: it is for this page only.
    PRIVATE: om.MetricPrivacy(4.0, unsafe_seed=True),
}
TITLES = {
    "srl": "linked by nearest meaning (SRL)",
    "linked_by_method": "linked by knowing the method",
    "recovered": "values read back",
}
# By axis: what is drawn, and its look.
DRAWN = {"% of all records": {"srl": 0, "linked_by_method": 1}, "% of the unique records": {"linked_uniques": 2}}


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
    score, other = om.evaluate(data, result, seed=seed), om.evaluate(data, result, distance=YARDSTICK, attacks=False)
    found = {(name, ""): getattr(score, name) for name in TITLES} | {("loss", ""): other.loss_percent}
    if score.attacks is not None and score.attacks.method is not None:
        found["mode", ""] = score.attacks.method.mode
        found["linked_uniques", ""] = score.attacks.method.linked_uniques
    if score.attacks is not None and score.attacks.ranks is not None:
        found["certain", ""] = score.attacks.ranks.certain
    return found


RULES = {
    "knowing-the-method-links-more": computed(pl.col("linked_by_method") - pl.col("srl"), methods=(*SWAPPED, *NOISY)),
    "noise-is-read-back": computed(pl.col("recovered") - 50, methods=(UNCORRELATED, CORRELATED)),
    "more-than-the-mode": computed(pl.col("recovered") - pl.col("mode"), methods=NOISY),
    "ranks-intersect": computed(pl.col("certain"), methods=SWAPPED),
    "groups-link-less": smallest("linked_by_method", GROUPED, RIVALS),
    "groups-lose-less": smallest("loss", GROUPED, RIVALS),
}


def figure(measured: Rows) -> Figure:
    """What the intruders find, by method: of all records, and of those that are unique in the original."""
    names, charts = measured.methods(), []
    titles = {**TITLES, "linked_uniques": "… of the unique records"}
    for (axis, looks), table in product(DRAWN.items(), measured.tables):
        spreads = {of: [measured.spread(of, name, None, table) for name in names] for of in looks}
        series = [bars(titles[of], spreads[of], look) for of, look in looks.items()]
        charts.append(BarChart(names, series, title=table, value_title=axis, width=290, height=14 * len(names)))
    return small_multiples(charts, columns=2, title="What intruders learn")


def facts(measured: Rows) -> dict[str, str]:
    """The figures of the answer, each on Adult and on diabetes130."""
    whats = {
        "srl": ("srl", UNCORRELATED),
        "linked": ("linked_by_method", UNCORRELATED),
        "linked_uniques": ("linked_uniques", UNCORRELATED),
        "read_back": ("recovered", UNCORRELATED),
        "swapped_uniques": ("linked_uniques", SWAPPED_5),
        "grouped_uniques": ("linked_uniques", GROUPED),
        "read_back_from_private": ("recovered", PRIVATE),
    }
    return {
        name: " and ".join(f"{measured.mean(what, method, None, table):.1f}" for table in measured.tables)
        for name, (what, method) in whats.items()
    }


def tables(measured: Rows) -> dict[str, str]:
    """All figures by method."""
    whats = {**TITLES, "mode": "by guessing the mode", "linked_uniques": "linked, of unique records",
             "certain": "certain by rank intersection", "loss": "loss L"}  # fmt: skip
    found = {}
    for table in measured.tables:
        lines = [[name, *(measured.text(w, name, None, table, digits=1) for w in whats)] for name in measured.methods()]
        found[f"{table}, in percent"] = markdown(["", *whats.values()], lines)
    return found


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"records": RECORDS})
