"""Does a better hierarchy help the masking? Adult generalised over ARX's hierarchies and over built ones.

Ayala-Rivera 2014, section 5, leaves this question to future work. ARX's files come from the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import counts, less, margins, smallest
from experiments.framework.measurements import Row, Rows, rows
from experiments.framework.pages import Experiment, by_level, charts, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, other_ties
from experiments.ontologies.built_hierarchies import Of, by_hand
from ontomask.examples.adult import DOMAIN, adult_data
from ontomask.figures import Figure, small_multiples
from ontomask.kinds import nominal_columns

KS = (2, 5, 10, 50, 100)
# Local generalisation by cost is the default; the other is that of Martínez 2012.
FULL_DOMAIN, LOCAL, FIRST = MODES = ("full domain", "local, by cost", "local, best-first")
BY_HAND, NONE = "by hand", "none, WordNet itself"
# By name: the objective, and whether there are as many groups as by hand.
OPTIONS: Mapping[str, tuple[Of, bool]] = {
    "built, max": ("max", True),
    "built, mean": ("mean", True),
    "built, max, default groups": ("max", False),
    "built, mean, default groups": ("mean", False),
}
BUILT = tuple(OPTIONS)
WITH_SCORE = (BY_HAND, *BUILT)
# The distance that built the hierarchies and masked, and an independent one.
LOSSES = {"wu_palmer": "semantic loss", "log_sc": "semantic loss, LogSC"}
INDEPENDENT = LOSSES["log_sc"]
SCORE = "score"


def run(setting: Setting) -> Iterator[Row]:
    """Both modes over all hierarchies, with other orders of ties."""
    adult = adult_data()
    for seed in setting.seeds():
        data = other_ties(adult, seed)
        hand = by_hand(data, adult)
        made = {name: built(data, hand, *options) for name, options in OPTIONS.items()}
        for name, hierarchies in {BY_HAND: hand, **made, NONE: None}.items():
            if hierarchies is not None:
                yield from rows(scores(data, hierarchies), table=ADULT, method=name, seed=seed)
            generalise = partial(om.Generalisation, hierarchies=hierarchies)
            for k in setting.levels(KS):
                methods = (generalise(k, mode="full_domain"), generalise(k), generalise(k, variant="best_first"))
                for mode, method in zip(MODES, methods, strict=True):
                    result = method.mask(data, seed=seed)
                    for distance, title in LOSSES.items():
                        loss = om.evaluate(data, result, distance=distance, attacks=False).semantic_loss
                        yield from rows({(title, mode): loss}, table=ADULT, method=name, level=k, seed=seed)


def built(data: om.Microdata, hand: Mapping[str, om.Hierarchy], of: Of, same: bool) -> dict[str, om.Hierarchy]:
    """Hierarchies with as many levels as those made by hand, and perhaps as many groups."""
    found: dict[str, om.Hierarchy] = {}
    for column in nominal_columns(data.quasi_identifiers.values()):
        h, name = hand[column.name], column.name
        build = partial(om.build_hierarchy, levels=h.height, groups=h if same else None, objective=of)
        found[name] = build(data.mapping[name], column.kind.taxonomy)
    return found


def scores(data: om.Microdata, hierarchies: Mapping[str, om.Hierarchy]) -> dict[tuple[str, str], float]:
    """VghGSL of the released concepts by column: largest loss of each level, constant weights."""
    generalise = partial(om.Generalisation, 2, hierarchies=hierarchies, mode="full_domain")
    released = [generalise(levels=dict.fromkeys(hierarchies, level)).mask(data).frame for level in (1, 2)]
    found = {}
    for column in nominal_columns(data.quasi_identifiers.values()):
        name = column.name
        lines = set(zip(data.frame[name], *(frame[name] for frame in released), strict=True))
        h = om.Hierarchy.from_rows(sorted(lines))
        found[SCORE, name] = om.score_hierarchy(h, column.kind.taxonomy, data.mapping[name].concepts).score
    return found


def follows_score(found: Rows) -> pl.DataFrame:
    """Whether a hierarchy loses no more than another if its scores are no worse, and one is better."""
    scored = {name: np.array([found.mean(SCORE, name, None, ADULT, column) for column in DOMAIN]) for name in BUILT}

    def better(one: str, other: str) -> bool:
        lead = scored[other] - scored[one]
        return bool((lead >= -1e-6).all() and (lead > 1e-6).any())

    pairs = (less(INDEPENDENT, *pair, or_equal=True) for pair in permutations(BUILT, 2) if better(*pair))
    return pl.concat([margins(()), *(rule(found) for rule in pairs)])


RULES = {
    "built-lose-less-in-masking": less(INDEPENDENT, BUILT, BY_HAND, or_equal=True),
    "better-scores-lose-less": follows_score,
    "max-is-best-for-local": less(INDEPENDENT, "built, max", "built, mean", columns=LOCAL),
    "max-is-best-for-best-first": less(INDEPENDENT, "built, max", "built, mean", columns=FIRST),
    "mean-is-best-for-full-domain": less(INDEPENDENT, "built, mean", "built, max", columns=FULL_DOMAIN),
    "no-hierarchy-is-best-for-local": smallest(INDEPENDENT, NONE, WITH_SCORE, columns=LOCAL),
    "no-hierarchy-is-best-for-best-first": smallest(INDEPENDENT, NONE, WITH_SCORE, columns=FIRST),
}


def figure(found: Rows) -> Figure:
    """The loss by k, full-domain and local with both searches."""
    shape: dict[str, Any] = {"y_title": INDEPENDENT, "log_x": True, "log_y": True, "width": 230, "height": 200}
    names = (*WITH_SCORE, NONE)
    panels = [charts(found, INDEPENDENT, names, columns=mode, title=mode.capitalize(), **shape)[0] for mode in MODES]
    return small_multiples(panels, columns=3, title="Generalisation over hierarchies", same_scale=True)


def facts(found: Rows) -> dict[str, Any]:
    """The figures of the answer."""
    full, local, first = (partial(found.mean, INDEPENDENT, level=10, table=ADULT, columns=mode) for mode in MODES)
    return {
        "held": {name: counts(rule, found)[ADULT] for name, rule in RULES.items()},
        "local_built": local("built, mean"),
        "local_by_hand": local(BY_HAND),
        "local_none": local(NONE),
        "first_none": first(NONE),
        "first_built": first("built, max"),
        "scores": " and ".join(f"{found.mean(SCORE, BY_HAND, None, ADULT, column):.3f}" for column in DOMAIN),
        "full_built": full("built, mean"),
        "full_by_hand": full(BY_HAND),
    }


def tables(found: Rows) -> dict[str, str]:
    """Both losses in both modes, and the scores of what is released."""
    losses = {
        f"S{title[1:]}, {mode}": by_level(found, title, columns=mode, digits=4)
        for title, mode in product(LOSSES.values(), MODES)
    }
    lines = [
        [name, *(found.text(SCORE, name, None, ADULT, column, digits=4) for column in DOMAIN)] for name in WITH_SCORE
    ]
    return losses | {"Scores of the released concepts": markdown(["hierarchies", *DOMAIN], lines)}


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
