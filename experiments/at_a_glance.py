"""The publications' main conclusions on one page, with the results of all experiments that judge them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from experiments.shared.findings import DOCS, PAPERS, conclusions_file, markdown, verdict

__all__ = ["PAGES", "page", "write_glance"]

# By data set, in how many of how many cases a conclusion holds.
Results = Mapping[str, tuple[int, int]]


class Line(NamedTuple):
    """A main conclusion in short, with the page and key of the `Conclusion` that judges it.

    ``also`` is a second page and key, for tables that are not samples like the paper's.
    """

    text: str
    page: str
    key: str
    also: tuple[str, str] | None = None


def _noise(text: str, key: str, key_of_levels: str = "") -> Line:
    return Line(text, "noise_framework", key, ("noise_levels", key_of_levels or key))


def _swapping(text: str, key: str) -> Line:
    return Line(text, "rank_swapping", key, ("swapping_intervals", key))


MAIN = (
    _noise("The noise is at least as large as intended, for α ≤ 0.5", "noise-reaches-target"),
    _noise("Variances are within α/4 of the expected values (over MONDO even without noise)", "variance-as-expected"),
    _noise("Correlated noise preserves the dependence between columns better", "correlated-noise-keeps-dependence"),
    _noise("… and the reference `pair` preserves it better than `mean`", "pair-beats-mean", "pair-and-root-beat-mean"),
    _noise("… and so does the reference `root`", "root-beats-mean", "pair-and-root-beat-mean"),
    _noise("`mean` moves the mean no farther than `pair`", "mean-moves-mean-least"),
    _noise("Random distortion destroys the dependence", "chance-breaks-dependence"),
    _noise("… but may keep the mean better", "chance-may-keep-mean"),
    Line(
        "For weakly dependent columns, correlated noise gains at most half as much",
        "correlated_noise",
        "weak-dependence-gains-less",
        ("noise_levels", "weak-dependence-gains-less"),
    ),
    _swapping("Rank swapping keeps means and variances exactly", "swapping-keeps-moments"),
    _swapping("The RMSE of rank swapping grows with k", "rmse-grows-with-k"),
    _swapping("Algorithm 2 has a smaller RMSE than Algorithm 3", "second-has-less-rmse-than-third"),
    _swapping("… and both have a clearly smaller RMSE than Algorithm 1", "second-and-third-have-less-rmse"),
    _swapping("Algorithm 3 preserves the dependence best", "third-keeps-dependence"),
    _swapping("Swapping by frequency has about the same RMSE as Algorithm 1", "frequency-competes"),
    _swapping("… but preserves the dependence less well", "frequency-keeps-dependence-worse"),
    Line("The semantic centroid is the best strategy", "centroid_strategies", "semantic-centroid-is-best"),
    Line("… and the least common subsumer is the worst", "centroid_strategies", "subsumer-is-worst"),
    Line(
        "SA-MDAV loses no more with moving centroids than with static ones",
        "microaggregation",
        "moving-centroids-lose-no-more",
    ),
    Line(
        "… and less with clusters of adaptive size than with clusters of k records",
        "microaggregation",
        "adaptive-clusters-lose-less",
    ),
    Line("… and less than the methods of related work", "microaggregation", "sa-mdav-loses-less"),
    Line("The method of Abril et al. has the fewest linked records", "microaggregation", "abril-is-linked-least"),
    Line("… and the mode has the most", "microaggregation", "mode-is-linked-most"),
    Line("Semantic resampling loses least of four settings", "resampling", "resampling-by-meaning-loses-least"),
    Line(
        "Semantic recoding loses less than distributional recoding",
        "semantic_recoding",
        "recoding-by-meaning-loses-less",
    ),
    Line("… and has fewer linked records", "semantic_recoding", "recoding-by-meaning-is-linked-less"),
    Line(
        "… and its clusters are closer to the original clusters",
        "semantic_recoding",
        "recoding-by-meaning-keeps-clusters",
    ),
    Line("Loss: microaggregation < recoding < resampling", "clinical", "order-of-loss"),
    Line("KL divergence: recoding < microaggregation < resampling", "clinical", "order-of-divergence"),
    Line("Linkage: resampling < recoding < microaggregation", "clinical", "order-of-linkage"),
    Line("Balance: recoding is best for k ≤ 5, microaggregation for larger k", "clinical", "order-of-scores"),
    Line("Suppression loses most", "clinical", "suppression-loses-most"),
    Line("A finer hierarchy has more linked records", "semantic_linkage", "finer-links-more"),
    Line("… and loses less", "semantic_linkage", "finer-loses-less"),
    Line("Semantic linkage hardly depends on the distance", "semantic_linkage", "linkage-hardly-depends-on-distance"),
    Line("The loss of each transition in a hierarchy is as printed", "hierarchy_quality", "transitions-as-printed"),
    Line("… and so is the loss of each level", "hierarchy_quality", "levels-as-printed"),
)
PAGES = {line.page for line in MAIN} | {line.also[0] for line in MAIN if line.also}
ABOUT = (
    "This page lists the publications' main conclusions, and whether our experiments confirm them. Each experiment's "
    "page has more conclusions, with explanations. A conclusion is *found* if it holds in every case that it covers. "
    "Otherwise the table shows in how many cases it holds. *Published tables* are the tables printed in a "
    "publication, checked against its own conclusions. Noise and swapping were also tried on tables that are not "
    "samples like those of the publications. The last column shows these results, from [noise "
    "levels](noise_levels.md) and [swapping intervals](swapping_intervals.md). [A framework for "
    "noise](noise_framework.md) explains `mean`, `pair` and `root`. [Semantic rank swapping](rank_swapping.md) "
    "explains Algorithms 1 to 3."
)


def page(docs: Path = DOCS) -> str:
    """The page, from the results of the experiments in a folder."""
    tables = {name: pl.read_csv(conclusions_file(docs, name)) for name in PAGES}
    lines = []
    for line in MAIN:
        source, results = _results(tables[line.page], line.key)
        also = _results(tables[line.also[0]], line.also[1])[1] if line.also else {}
        # Both pages judge the paper's own tables; they are shown once.
        others = {data: counts for data, counts in also.items() if data not in results}
        lines.append([line.text, f"[{source}]({line.page}.md)", _in_words(results), _in_words(others)])
    head = ["conclusion", "source", "found", "on other tables"]
    return "\n\n".join(["# At a glance", PAPERS, ABOUT, markdown(head, lines, left=4)]) + "\n"


def _results(table: pl.DataFrame, key: str) -> tuple[str, Results]:
    """The source of a conclusion, and its results."""
    rows = table.filter(pl.col("key") == key)
    if rows.is_empty():
        raise ValueError(f"No conclusion has the key {key!r}. Rerun the experiment, or remove the line.")
    return rows["source"][0], {row["data"]: (row["holds"], row["cases"]) for row in rows.to_dicts()}


def _in_words(results: Results) -> str:
    found = {data: holds == cases for data, (holds, cases) in results.items()}
    if results and all(found.values()):
        return "found on all" if len(results) > 1 else "found"
    return "; ".join(f"{data}: {'found' if found[data] else verdict(*counts)}" for data, counts in results.items())


def write_glance(docs: Path = DOCS) -> None:
    """Write the page beside the others."""
    (docs / "at_a_glance.md").write_text(page(docs), encoding="utf-8")


if __name__ == "__main__":
    write_glance()
