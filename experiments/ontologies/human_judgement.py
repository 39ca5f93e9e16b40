"""How well distances agree with people: correlations with two sets of rated noun pairs (Martínez 2012, Table 4).

A correlation is no mean over word pairs, but each pair has a share in it: r + xy − r(x² + y²)/2, with standardised
values x and y. The mean of these shares is r, and their spread is its spread (the infinitesimal jackknife: Jaeckel
1972). So each word pair is a seed here, and claims are judged as on all pages.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ontomask as om
from experiments.framework.claims import Claim, Rule, less, margins, smallest, together
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
FAMILIES = {family: [name for name, (of, *_) in TABLE_4.items() if of == family] for family, *_ in TABLE_4.values()}
# By name: the measure and its options. Information content is that of Seco by default.
VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    **{name: (name, {}) for name in TABLE_4},
    # Martínez 2012, eq. 3.3 counts links.
    "wu_palmer, links counted": ("wu_palmer", {"root_depth": 0}),
    **{f"{name}, ic={ic}": (name, {"ic": ic}) for name in FAMILIES["content"] for ic in ("zhou", "sanchez", "source")},
}
LONGER = "{}, glosses and parts"
# The others do not change with glosses and parts.
WITH_GLOSSES = ("rodriguez", "x_similarity")


def read_ratings() -> dict[str, dict[int, tuple[str, str, float]]]:
    """For each set of ratings, the pairs of words with their ratings, by number."""
    with RATINGS.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {
        name: {i: (line["word1"], line["word2"], float(line[key])) for i, line in enumerate(lines) if line[key]}
        for key, name in SETS.items()
    }


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
    _, index, count = np.unique(values.round(9), return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[index])


def compared(method: str, d: om.Distance) -> Iterator[Row]:
    """The agreement of a distance with each set of ratings."""
    for name, pairs in read_ratings().items():
        found = np.array([similarity(d, one, other) for one, other, _ in pairs.values()])
        rated = np.array([rating for *_, rating in pairs.values()])
        for pair, share in zip(pairs, shares(found, rated), strict=True):
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
        for name in WITH_GLOSSES:
            yield from compared(LONGER.format(name), om.distance(name, full))


def between_people() -> float:
    """The correlation of the two sets on shared pairs, an upper bound for measures."""
    mc, rg = read_ratings().values()
    rated = np.array([(mc[pair][2], rg[pair][2]) for pair in mc if pair in rg])
    return float(shares(*rated.T).mean())


def above_printed(found: Rows) -> Iterator[tuple[str, str, int, float]]:
    """By how much each of our correlations is above the printed one less 0.05."""
    for row in found.where(measures=R, tables=SETS.values()).frame.to_dicts():
        printed = found.mean(R, row["method"].split(",")[0], None, PRINTED, row["table"])
        if not isnan(printed):
            yield row["table"], row["method"], row["seed"], row["value"] - printed + 0.05


def alike(found: Rows) -> Iterator[tuple[str, str, int, float]]:
    """By how much less than 0.1 the best measures of any two families differ."""
    frame = found.where(~pl.col("method").str.contains("glosses"), measures=R).frame
    for (table, column), part in frame.group_by("table", "columns", maintain_order=True):
        means = dict(part.group_by("method").agg(pl.col("value").mean()).iter_rows())
        names = [[name for name in means if name.split(",")[0] in family] for family in FAMILIES.values()]
        best = sorted((max(family, key=means.__getitem__) for family in names), key=means.__getitem__)
        by_seed = part.pivot("method", index="seed", values="value")
        for low, high in combinations(best, 2):
            for seed, a, b in by_seed.select("seed", low, high).iter_rows():
                yield str(table), f"{column}|{low}|{high}", seed, 0.1 - (b - a)


def largest(measure: str, method: str, others: Sequence[str]) -> Rule:
    """A method has the largest figure of all."""
    return lambda found: smallest(measure, method, others)(Rows(found.frame.with_columns(-pl.col("value"))))


SOURCE = "Martínez 2012, Table 4"
OTHERS = [name for name in VARIANTS if name != "log_sc"]
CLAIMS = (
    Claim("at-least-as-printed",
          "Distances, as defined here, agree with people at least as well as printed, up to 0.05 (our limit)",
          SOURCE, lambda found: margins(above_printed(found)),
          "The thesis compiled the figures of other papers. Measures of information content correlate better here."),
    Claim("families-alike",
          "Accuracies are very similar across the families: their best measures differ by less than 0.1 (our limit)",
          "Martínez 2012, section 3.2.4", lambda found: margins(alike(found)),
          "The printed figures do not say so either: LogSC is about 0.1 above the best of both other families."),
    Claim("log-sc-best", "LogSC correlates best", SOURCE, largest(R, "log_sc", OTHERS),
          "Measured in the same way, measures of information content are as good or better. The printed figure for "
          "LogSC is its authors' own, and those for the others are from an older replication."),
    Claim("log-sc-above-edges", "LogSC correlates better than measures of edges",
          SOURCE, less(R, [name for name in VARIANTS if name.split(",")[0] in FAMILIES["edges"]], "log_sc")),
    Claim("path-worst", "The path alone correlates worst",
          "Martínez 2012, Table 4, section 4.3.5.3", less(R, "path", [name for name in VARIANTS if name != "path"]),
          "The thesis has no figure for the path with Rubenstein–Goodenough."),
    Claim("glosses-help", "Measures that can use glosses and part-of links agree better with them",
          "ours", together(*(less(R, name, LONGER.format(name)) for name in WITH_GLOSSES)),
          "In the sum of Rodríguez and Egenhofer, a part that only one of two concepts has reduces their similarity."),
)  # fmt: skip


def interval(found: Rows, method: str, table: str) -> tuple[float, float, float]:
    """A correlation with the ends of its 95 % interval."""
    mean, sd, *_ = found.spread(R, method, None, table)
    pairs = len(read_ratings()[table])
    return mean, mean - 1.96 * sd / sqrt(pairs), min(mean + 1.96 * sd / sqrt(pairs), 1.0)


def figure(found: Rows) -> Figure:
    """A panel for each set of ratings."""
    panels = []
    for name in SETS.values():
        mean, low, high = zip(*(interval(found, method, name) for method in TABLE_4), strict=True)
        printed = Bars("Martínez 2012, Table 4", [found.mean(R, method, None, PRINTED, name) for method in TABLE_4])
        bars, value = [Bars("here", mean, low, high), printed], f"correlation with {name}"
        panels.append(BarChart(list(TABLE_4), bars, value_title=value, title=name, value_range=(0, 1), width=310))
    return small_multiples(panels, columns=2, title="Distances and human judgement", same_scale=True)


def answer(found: Rows) -> str:
    """The answer with its figures."""
    mc, rg = SETS.values()
    means = [found.mean(R, name, None, table) for name in VARIANTS for table in SETS.values()]
    content, log_sc = ([found.mean(R, name, None, table) for table in (mc, rg)] for name in ("jiang_conrath", "log_sc"))
    return (
        f"Yes. Correlations with the ratings are {min(means):.2f} to {max(means):.2f}; different people correlate with "
        f"{between_people():.2f}. LogSC, which the thesis chose, correlates with {log_sc[0]:.2f} and {log_sc[1]:.2f}. "
        f"The distance of Jiang and Conrath has {content[0]:.2f} and {content[1]:.2f}, but this is no clear "
        "difference: with 30 and 65 pairs of words, the intervals overlap for most distances. Only the path alone "
        "stays clearly behind."
    )


def table(found: Rows, methods: Sequence[str]) -> str:
    """All measures beside Table 4."""

    def cells(method: str, name: str) -> list[str]:
        mean, low, high = interval(found, method, name)
        printed = found.text(R, method.split(",")[0], None, PRINTED, name)
        return [f"{mean:.2f} ({low:.2f}–{high:.2f})", found.text(RANK, method, None, name), printed]

    head = ["distance", *(title for name in SETS.values() for title in (name, "rank correlation", "as printed"))]
    lines = [[method, *(cell for name in SETS.values() for cell in cells(method, name))] for method in methods]
    return markdown(head, lines)


EXPERIMENT = Experiment(
    title="Human judgement",
    question="Do distances agree with what people find similar?",
    measure=run,
    figure=figure,
    caption=(
        "The thesis (Martínez 2012, Table 4) and our results: correlations with human ratings and their 95 % "
        "intervals. The thesis has no figure for the missing bars."
    ),
    answer=answer,
    setup=(
        "Pearson's correlation of one minus each distance with the ratings of Miller and Charles 1991 (30 pairs of "
        "nouns) and of Rubenstein and Goodenough 1965 (65 pairs). The ontology is the nouns of WordNet 3.0. The "
        "similarity of two words is that of their nearest senses. Table 4 compiles the best values of other papers, "
        "mostly over WordNet 2, with their own corpora and weights. Wu–Palmer counts nodes by default; the thesis "
        "counts links. Information content is that of Seco by default; `source` has the counts that come with "
        "WordNet. *Glosses and parts*: the files of WordNet 3.0 (Debian's package `wordnet-base`), since the WordNet "
        "of the package has neither. Each pair of words is a seed: its row in the results has its share in the "
        "correlation, r + xy − r(x² + y²)/2 for standardised values x and y. The mean of the shares is r."
    ),
    claims=CLAIMS,
    tables=lambda found: {"All correlations": table(found, found.methods(next(iter(SETS.values()))))},
    needs=("wordnet",),
)
