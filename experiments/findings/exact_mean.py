"""Does the exact mean over the whole domain improve on the centroid between the values and their common subsumer?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ontomask as om
from experiments.framework.claims import computed
from experiments.framework.measurements import Row, Rows, rows
from experiments.framework.pages import Experiment, by_level, charts
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, draw, one_taxonomy, public_tables
from ontomask.figures import Figure, small_multiples
from ontomask.kinds import nominal_columns

SIZES, GROUPS = (2, 5, 10, 50), 20
RECORDS, K = 1000, 5
MEASURES = ("wu_palmer", "path", "log_sc", "lin", "jiang_conrath", "x_similarity")
RANDOM, MASKED = "gain on random groups", "gain on groups of microaggregation"
# Gains below this are rounding errors.
EQUAL = 1e-9


def first_column(data: om.Microdata) -> tuple[om.Taxonomy, NDArray[np.str_]]:
    """The domain and the values of the first column."""
    column, *_ = nominal_columns(data.quasi_identifiers.values())
    return column.domain, np.array(column.domain.ids)[column.point[column.code]]


def sources(setting: Setting) -> dict[str, om.Microdata]:
    """Occupations over WordNet, diagnoses over ICD-9-CM (one parent each) and over MONDO (several parents)."""
    names = {ADULT: "WordNet", DIABETES: "ICD-9-CM"}
    found = {names[table]: data for table, data in public_tables(setting).items()}
    if (mondo := one_taxonomy(setting).get("MONDO")) is not None:
        found["MONDO"] = om.Microdata(mondo.frame, mondo.attributes)
    return found


def gain(groups: Iterable[NDArray[np.str_]], d: om.Distance) -> float:
    """The relative reduction in percent of the sum of distances to the centres of all groups."""
    sums = []
    for values in groups:
        found, counts = np.unique(values, return_counts=True)
        # Groups of equal values gain nothing.
        if len(found) > 1:
            exact, between = om.semantic_mean(values.tolist(), d), om.centroid(values.tolist(), d)
            sums.append(d.matrix([exact, between], found.tolist(), dtype="float64") @ counts)
    if not sums:
        return 0.0
    exactly, centroids = np.array(sums).T
    return float(100 * np.where(centroids - exactly > EQUAL, centroids - exactly, 0.0).sum() / centroids.sum())


def run(setting: Setting) -> Iterator[Row]:
    """Random groups of several sizes, and the groups of microaggregation."""
    measures = MEASURES[:2] if setting.quick else MEASURES
    for table, data in sources(setting).items():
        domain, values = first_column(data)
        distances = {name: om.distance(name, domain) for name in measures}
        for name, size, seed in product(measures, setting.levels(SIZES), setting.seeds(5)):
            rng = np.random.default_rng(seed)
            found = {(RANDOM, ""): gain([rng.choice(values, size) for _ in range(GROUPS)], distances[name])}
            yield from rows(found, table=table, method=name, level=size, seed=seed)
        for seed in setting.seeds(5):
            sample = draw(data, setting.size(RECORDS), seed)
            group = om.Microaggregation(K).mask(sample, seed=seed).data.table.inverse
            _, values_here = first_column(sample)
            groups = [values_here[group == one] for one in range(int(group.max()) + 1)]
            for name in measures:
                found = {(MASKED, ""): gain(groups, distances[name])}
                yield from rows(found, table=table, method=name, level=K, seed=seed)


RULES = {
    "exact-mean-gains": computed(pl.col(RANDOM) - 1),
    "exact-mean-hardly-matters-for-masking": computed(2 - pl.col(MASKED)),
}


def figure(measured: Rows) -> Figure:
    """The gain by the size of random groups."""
    methods, x_title = measured.methods(), "values in a group"
    found = charts(measured, RANDOM, methods, x_title=x_title, y_title="gain (%)", log_x=True, width=230, height=200)
    return small_multiples(found, columns=3, title="What the exact mean gains", same_scale=True)


def facts(measured: Rows) -> dict[str, float]:
    """The figures of the answer."""
    others = measured.where(pl.col("method") != "x_similarity", tables="WordNet").frame
    means = others.group_by("measure", "method", "level").agg(pl.col("value").mean())
    mondo = [measured.mean(RANDOM, "wu_palmer", size, "MONDO") for size in SIZES]
    return {
        "least": min(mondo),
        "most": max(mondo),
        "masked": max(measured.mean(MASKED, m, K, "MONDO") for m in MEASURES),
        "wordnet": measured.mean(MASKED, "x_similarity", K, "WordNet"),
        "others": max(means["value"]),
    }


def tables(measured: Rows) -> dict[str, str]:
    """The gain on groups of both kinds."""
    return {
        "Gain on random groups, in percent": by_level(measured, RANDOM, symbol="size"),
        "Gain on groups of microaggregation, in percent": by_level(measured, MASKED),
    }


EXPERIMENT = Experiment(
    __file__, run, figure, facts, RULES, tables, {"groups": GROUPS, "sizes": SIZES, "k": K, "records": RECORDS}
)
