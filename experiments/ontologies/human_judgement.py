"""How well distances agree with people: correlations with two sets of rated noun pairs (Martínez 2012, Table 4).

A correlation is no mean over word pairs, but each pair has a share in it: r + xy − r(x² + y²)/2, with standardised
values x and y. The mean of these shares is r, and their spread is its spread (the infinitesimal jackknife: Jaeckel
1972). So each word pair is a seed here, and claims are judged as on all pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ontomask as om
from experiments.framework.claims import OTHER, VALUE, by_case, largest, less, smallest, together
from experiments.framework.measurements import PRINTED, Row, Rows, rows
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from ontomask.figures import BarChart, Bars, Figure, small_multiples

RATINGS = Path(__file__).parent / "data" / "ratings.csv"
SETS = {"miller_charles": "Miller–Charles", "rubenstein_goodenough": "Rubenstein–Goodenough"}
R, RANK = "correlation", "rank correlation"

# Martínez 2012, Table 4: family, correlation with Miller–Charles, with Rubenstein–Goodenough (None: N/A).
TABLE_4: Mapping[str, tuple[str, float | None, float | None]] = {
    "path": ("edges", 0.59, None),
    "wu_palmer": ("edges", 0.74, None),
    "leacock_chodorow": ("edges", 0.74, 0.77),
    "rodriguez": ("features", 0.71, None),
    "tversky": ("features", 0.73, None),
    "x_similarity": ("features", 0.74, None),
    "log_sc": ("features", 0.85, 0.86),
    "resnik": ("content", 0.72, 0.72),
    "lin": ("content", 0.70, 0.72),
    "jiang_conrath": ("content", 0.73, 0.75),
}
FAMILY = {name: family for name, (family, *_) in TABLE_4.items()}
# By name: the measure and its options. Information content is that of Seco by default.
VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    **{name: (name, {}) for name in TABLE_4},
    # Martínez 2012, eq. 3.3 counts links.
    "wu_palmer, links counted": ("wu_palmer", {"root_depth": 0}),
    **{
        f"{name}, ic={ic}": (name, {"ic": ic})
        for name, family in FAMILY.items() if family == "content" for ic in ("zhou", "sanchez", "source")
    },
}  # fmt: skip
# The measure of a variant.
MEASURE = pl.col("method").str.split(",").list.first()
# Only these change with glosses and parts.
LONGER = {name: f"{name}, glosses and parts" for name in ("rodriguez", "x_similarity")}


def read_ratings() -> dict[str, pl.DataFrame]:
    """For each set of ratings, the numbered pairs of words with their ratings."""
    lines = pl.read_csv(RATINGS, comment_prefix="#").with_row_index("pair")
    return {name: lines.select("pair", "word1", "word2", rating=key).drop_nulls() for key, name in SETS.items()}


def similarity(d: om.Distance, one: str, other: str) -> float:
    """The similarity of two words: that of their nearest senses, since people compare the senses that fit."""
    return 1 - float(d.matrix(d.taxonomy.find(one), d.taxonomy.find(other), dtype="float64").min())


def shares(found: NDArray[np.float64], rated: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of each pair in Pearson's correlation. Their mean is the correlation."""
    x, y = ((values - values.mean()) / values.std() for values in (found, rated))
    r = float((x * y).mean())
    return np.asarray(r + x * y - r * (x**2 + y**2) / 2)


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1; ties share the mean rank. Equal distances may differ in their last bits."""
    return pl.Series(values.round(9)).rank("average").to_numpy()


def compared(method: str, d: om.Distance) -> Iterator[Row]:
    """The agreement of a distance with each set of ratings."""
    for name, pairs in read_ratings().items():
        found = np.array([similarity(d, *words) for words in pairs.select("word1", "word2").iter_rows()])
        rated = pairs["rating"].to_numpy()
        for pair, share in zip(pairs["pair"], shares(found, rated), strict=True):
            yield from rows({(R, ""): share}, table=name, method=method, seed=pair)
        yield from rows({(RANK, ""): shares(ranks(found), ranks(rated)).mean()}, table=name, method=method)


def run(setting: Setting) -> Iterator[Row]:
    """Table 4 as printed, and all measures over WordNet."""
    for name, (_, *printed) in TABLE_4.items():
        figures = {(R, of): value for of, value in zip(SETS.values(), printed, strict=True)}
        yield from rows(figures, table=PRINTED, method=name)
    wordnet = om.load_wordnet()
    for name, (of, options) in VARIANTS.items():
        yield from compared(name, om.distance(of, wordnet, **options))
    if setting.wordnet is not None and not setting.quick:
        full = om.read_taxonomy(setting.wordnet, format="wordnet", glosses=True, parts=True)
        for of, name in LONGER.items():
            yield from compared(name, om.distance(of, full))


def between_people() -> float:
    """The correlation of the two sets on shared pairs, an upper bound for measures."""
    mc, rg = read_ratings().values()
    both = mc.join(rg, on="pair")
    return float(shares(both["rating"].to_numpy(), both["rating_right"].to_numpy()).mean())


def at_least_as_printed(found: Rows) -> pl.DataFrame:
    """By how much each of our correlations is above the printed one less 0.05."""
    printed = found.where(tables=PRINTED).frame.select(table="columns", of="method", value_other="value")
    ours = found.where(measures=R, tables=SETS.values()).frame.with_columns(of=MEASURE)
    return by_case(ours.join(printed, on=["table", "of"]), VALUE - OTHER + 0.05)


def alike(found: Rows) -> pl.DataFrame:
    """By how much less than 0.1 the best measures of any two families differ."""
    frame = found.where(~pl.col("method").is_in(LONGER.values()), measures=R).frame
    frame = frame.with_columns(
        family=MEASURE.replace_strict(FAMILY), mean=pl.col("value").mean().over("table", "columns", "method")
    )
    best = pl.col("method").sort_by("mean", "method").last().over("table", "columns", "family")
    frame = frame.filter(pl.col("method") == best)
    pairs = frame.join(frame, on=["table", "measure", "columns", "seed"], suffix="_other")
    lead = (VALUE - OTHER) * (pl.col("mean") - pl.col("mean_other")).sign()
    return by_case(pairs.filter(pl.col("family") < pl.col("family_other")), 0.1 - lead)


RULES = {
    "at-least-as-printed": at_least_as_printed,
    "families-alike": alike,
    "log-sc-best": largest(R, "log_sc", VARIANTS),
    "log-sc-above-edges": largest(R, "log_sc", [name for name, (of, _) in VARIANTS.items() if FAMILY[of] == "edges"]),
    "path-worst": smallest(R, "path", VARIANTS),
    "glosses-help": together(*(less(R, of, name) for of, name in LONGER.items())),
}


def interval(found: Rows, method: str, table: str) -> tuple[float, float, float]:
    """A correlation with the ends of its 95 % interval."""
    mean, sd, *_ = found.spread(R, method, None, table)
    half = 1.96 * sd / sqrt(len(read_ratings()[table]))
    return mean, mean - half, min(mean + half, 1.0)


def lead(found: Rows, method: str, other: str, table: str) -> str:
    """The 95 % interval of the difference between two correlations, paired by word pairs."""
    wide = found.where(tables=table, measures=R, methods=(method, other)).wide("method")
    differences = (wide[method] - wide[other]).to_numpy()
    half = 1.96 * differences.std(ddof=1) / sqrt(len(differences))
    return " to ".join(f"{differences.mean() + sign * half:.2f}".replace("-", "−") for sign in (-1, 1))


def figure(found: Rows) -> Figure:
    """A panel for each set of ratings."""
    panels = []
    for name in SETS.values():
        mean, low, high = zip(*(interval(found, method, name) for method in TABLE_4), strict=True)
        printed = Bars("Martínez 2012, Table 4", [found.mean(R, method, None, PRINTED, name) for method in TABLE_4])
        bars, value = [Bars("here", mean, low, high), printed], f"correlation with {name}"
        panels.append(BarChart(list(TABLE_4), bars, value_title=value, title=name, value_range=(0, 1), width=310))
    return small_multiples(panels, columns=2, title="Distances and human judgement", same_scale=True)


def facts(found: Rows) -> dict[str, Any]:
    """The figures of the answer; those of one distance with both sets of ratings."""
    of = {name: [found.mean(R, name, None, table) for table in SETS.values()] for name in VARIANTS}
    ends = {"least": min(map(min, of.values())), "most": max(map(max, of.values()))}
    leads = [lead(found, "jiang_conrath", "log_sc", table) for table in SETS.values()]
    known = {"log_sc": of["log_sc"], "content": of["jiang_conrath"], "lead": leads}
    return {**ends, **known, "people": between_people()}


def tables(found: Rows) -> dict[str, str]:
    """All measures beside Table 4."""
    lines = []
    for method in found.methods(SETS["miller_charles"]):
        lines.append([method])
        for name in SETS.values():
            mean, low, high = interval(found, method, name)
            printed = found.text(R, method.split(",")[0], None, PRINTED, name)
            lines[-1] += [f"{mean:.2f} ({low:.2f}–{high:.2f})", found.text(RANK, method, None, name), printed]
    head = ["distance", *(title for name in SETS.values() for title in (name, "rank correlation", "as printed"))]
    return {"All correlations": markdown(head, lines)}


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
