"""Hierarchies built from WordNet and hierarchies made by hand for ARX: Adult's occupation and native-country.

Ayala-Rivera 2014 scores hierarchies and leaves their building to future work. ARX's files come from the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

import ontomask as om
from experiments.framework.claims import less, smallest, together
from experiments.framework.measurements import Row, Rows, rows
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, other_ties
from ontomask.examples.adult import DOMAIN, MAPPING, adult_data
from ontomask.figures import BarChart, Bars, Figure, small_multiples
from ontomask.kinds import nominal_columns

# The order of ties turned out to change no score, so a few are enough.
SEEDS = 3
ARX = Path(__file__).parents[2] / "tests" / "hierarchy" / "arx_adult"
# The best meaning of the hand-made labels: a continent is not a kind of country, but its countries are.
INTERPRETED: Mapping[str, Mapping[str, str]] = {
    "occupation": {"Technical": "skilled_worker.n.01", "Nontechnical": "worker.n.01", "Other": "worker.n.01"},
    "native-country": {
        "Africa": "african_country.n.01",
        "Asia": "asian_country.n.01",
        "Europe": "european_country.n.01",
        "North America": "north_american_country.n.01",
        "South America": "south_american_country.n.01",
    },
}
AS_THEY_STAND, INTERPRETING = "by hand, as they stand", "by hand, interpreted"
SAME_GROUPS = BY_MAX, BY_RECORDS, BY_VALUES = (
    "same groups, by the largest",
    "same groups, by records",
    "same groups, by values",
)
DEFAULT = "default groups"
BUILT = (*SAME_GROUPS, DEFAULT)
HIERARCHIES = (AS_THEY_STAND, INTERPRETING, *BUILT)
MAX, MEAN, RECORDS, SMALLEST = "max", "mean", "records", "smallest group"
Of = Literal["max", "mean"]
# By name: what counts of a level, and its weights.
SCORES: Mapping[str, tuple[Of, Literal["constant", "level"]]] = {
    MAX: ("max", "constant"),
    MEAN: ("mean", "constant"),
    "max, level-based weights": ("max", "level"),
    "mean, level-based weights": ("mean", "level"),
}
UNDER_LOG_SC: Mapping[str, Of] = {"max, LogSC": "max", "mean, LogSC": "mean"}


def arx_hierarchy(column: str) -> om.Hierarchy:
    """ARX's hierarchy of a column."""
    return om.read_hierarchy(ARX / f"adult_hierarchy_{column}.csv")


def by_hand(data: om.Microdata, cells: om.Microdata) -> dict[str, om.Hierarchy]:
    """ARX's hierarchies of the cells of ``data``, which stand in the same rows as Adult's own ``cells``."""
    found = {}
    for name in DOMAIN:
        new = dict(zip(cells.frame[name], data.frame[name], strict=True))
        found[name] = om.Hierarchy.from_rows([(new[leaf], *labels) for leaf, *labels in arx_hierarchy(name).rows])
    return found


def run(setting: Setting) -> Iterator[Row]:
    """Both columns: hierarchies made by hand in two readings, and built ones with other orders of ties."""
    adult = adult_data()
    for seed in setting.seeds(SEEDS):
        data = other_ties(adult, seed)
        hand = by_hand(data, adult)
        for column in nominal_columns(data.quasi_identifiers.values()):
            taxonomy, cells = column.kind.taxonomy, Counter(data.frame[column.name].to_list())
            mapping, groups = data.mapping[column.name], hand[column.name]
            build, once = partial(om.build_hierarchy, taxonomy=taxonomy), dict.fromkeys(cells, 1)
            by_mean = partial(build, groups=groups, objective="mean")
            built = {
                BY_MAX: build(mapping, groups=groups),
                BY_RECORDS: by_mean(mapping),
                BY_VALUES: by_mean(once, mapping=mapping.concepts, domain=column.domain.root),
                DEFAULT: build(mapping, levels=groups.height),
            }
            for name, made in built.items():
                found = scored(made, taxonomy, made.concepts, cells, column.name)
                yield from rows(found, table=ADULT, method=name, seed=seed)
    # Scores do not depend on the order of ties.
    for name in DOMAIN:
        cells = Counter(adult.frame[name].to_list())
        for reading, labels in ((AS_THEY_STAND, {}), (INTERPRETING, INTERPRETED[name])):
            found = scored(arx_hierarchy(name), om.load_wordnet(), {**MAPPING[name], **labels}, cells, name)
            for seed in setting.seeds(SEEDS):
                yield from rows(found, table=ADULT, method=reading, seed=seed)


def scored(
    h: om.Hierarchy, taxonomy: om.Taxonomy, concepts: Any, cells: Counter[str], column: str
) -> dict[tuple[str, str], float]:
    """The scores of a hierarchy under both distances, the mean loss of a record, and the smallest group of level 1."""
    found = om.score_hierarchy(h, taxonomy, concepts)
    under_log_sc = om.score_hierarchy(h, taxonomy, concepts, distance="log_sc")
    counts = np.array([cells[leaf] for leaf in h.leaves], dtype=np.float64)
    levels = np.ma.average(np.ma.masked_invalid(found.loss), axis=0, weights=np.repeat(counts[:, None], h.height, 1))
    return {
        **{(name, column): found.total(level=of, weights=weights) for name, (of, weights) in SCORES.items()},
        **{(name, column): under_log_sc.total(level=of, weights="constant") for name, of in UNDER_LOG_SC.items()},
        (RECORDS, column): float(levels.mean()),
        (SMALLEST, column): min(Counter(h.generalise(cells.elements(), 1)).values()),
    }


OWN_MEASURES = {BY_MAX: MAX, BY_RECORDS: RECORDS, BY_VALUES: MEAN}
RULES = {
    "built-lose-no-more-than-labels": less(SCORES, BUILT, AS_THEY_STAND, or_equal=True),
    "built-lose-no-more-under-log-sc": less(UNDER_LOG_SC, BUILT, AS_THEY_STAND, or_equal=True),
    "built-lose-no-more-than-interpreted": less(SCORES, BUILT, INTERPRETING, or_equal=True),
    "built-lose-no-more-than-interpreted-under-log-sc": less(UNDER_LOG_SC, BUILT, INTERPRETING, or_equal=True),
    "objectives-are-best": together(
        *(smallest(own, name, SAME_GROUPS, or_equal=True) for name, own in OWN_MEASURES.items())
    ),
    "built-have-smaller-groups": less(SMALLEST, BUILT, AS_THEY_STAND),
}


def figure(found: Rows) -> Figure:
    """The scores of hierarchies made by hand and built ones."""
    titles = {MAX: "largest loss of a level", MEAN: "mean over values"}
    panels = []
    for column in DOMAIN:
        bars = [
            Bars(title, [found.mean(measure, name, None, ADULT, column) for name in HIERARCHIES])
            for measure, title in titles.items()
        ]
        panels.append(BarChart(HIERARCHIES, bars, value_title="VghGSL", title=column, width=262))
    return small_multiples(panels, columns=2, title="Hierarchies made by hand and built", same_scale=True)


def facts(found: Rows) -> dict[str, Any]:
    """The figures of the answer: of three hierarchies each."""

    def scores(measure: str, column: str, *names: str) -> list[float]:
        return [found.mean(measure, name, None, ADULT, column) for name in names]

    return {
        "country": scores(MAX, "native-country", AS_THEY_STAND, INTERPRETING, BY_MAX),
        "occupation": scores(MAX, "occupation", AS_THEY_STAND, INTERPRETING, BY_MAX),
        "country_mean": scores(MEAN, "native-country", INTERPRETING, BY_VALUES, BY_MAX),
        "country_log_sc": scores("max, LogSC", "native-country", INTERPRETING, BY_RECORDS, BY_VALUES),
    }


def tables(found: Rows) -> dict[str, str]:
    """All figures of each column."""
    digits = dict.fromkeys((*SCORES, *UNDER_LOG_SC, RECORDS), 4) | {SMALLEST: 0}
    shown = {}
    for column in DOMAIN:
        lines = [
            [name, *(found.text(measure, name, None, ADULT, column, digits=n) for measure, n in digits.items())]
            for name in HIERARCHIES
        ]
        shown[f"All scores, {column}"] = markdown([column, *digits], lines)
    return shown


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
