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
    """A main conclusion in short, and the page and key of the `Conclusion` that judges it.

    ``also`` is the same for a page on tables that are not samples like the paper's.
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
    _noise("Noise is at least as large as it was to be, for α ≤ 0.5", "noise-reaches-target"),
    _noise("Variances are within α/4 of what is expected (over MONDO without noise, too)", "variance-as-expected"),
    _noise("Correlated noise keeps the dependence of columns better", "correlated-noise-keeps-dependence"),
    _noise("… with the reference `pair` better than with `mean`", "pair-beats-mean", "pair-and-root-beat-mean"),
    _noise("… with the reference `root` better than with `mean`", "root-beats-mean", "pair-and-root-beat-mean"),
    _noise("`mean` moves the mean no farther than `pair`", "mean-moves-mean-least"),
    _noise("Distortion by chance breaks the dependence", "chance-breaks-dependence"),
    _noise("… and may keep the mean better", "chance-may-keep-mean"),
    Line(
        "Where columns hardly depend, correlated noise gains at most half as much",
        "correlated_noise",
        "weak-dependence-gains-less",
        ("noise_levels", "weak-dependence-gains-less"),
    ),
    _swapping("Rank swapping leaves means and variances exactly as they were", "swapping-keeps-moments"),
    _swapping("Its RMSE grows with k", "rmse-grows-with-k"),
    _swapping("Algorithm 2 has less RMSE than 3", "second-has-less-rmse-than-third"),
    _swapping("… and both clearly less than 1", "second-and-third-have-less-rmse"),
    _swapping("Algorithm 3 keeps the dependence best", "third-keeps-dependence"),
    _swapping("Swapping by frequency has about the RMSE of Algorithm 1", "frequency-competes"),
    _swapping("… and keeps the dependence worse", "frequency-keeps-dependence-worse"),
    Line("The semantic centroid is the best of all", "centroid_strategies", "semantic-centroid-is-best"),
    Line("… the least common subsumer the worst", "centroid_strategies", "subsumer-is-worst"),
    Line(
        "SA-MDAV loses no more with moving centroids than with static ones",
        "microaggregation",
        "moving-centroids-lose-no-more",
    ),
    Line(
        "… with clusters of adaptive size less than with those of k records",
        "microaggregation",
        "adaptive-clusters-lose-less",
    ),
    Line("… and less than related work", "microaggregation", "sa-mdav-loses-less"),
    Line("Abril's way is linked least", "microaggregation", "abril-is-linked-least"),
    Line("… the mode most", "microaggregation", "mode-is-linked-most"),
    Line("Resampling by meaning loses least of four settings", "resampling", "resampling-by-meaning-loses-least"),
    Line("Recoding by meaning loses less than by distribution", "semantic_recoding", "recoding-by-meaning-loses-less"),
    Line("… and is linked less", "semantic_recoding", "recoding-by-meaning-is-linked-less"),
    Line("… and leaves clusters nearer to the original's", "semantic_recoding", "recoding-by-meaning-keeps-clusters"),
    Line("Loss: microaggregation < recoding < resampling", "clinical", "order-of-loss"),
    Line("KL divergence: recoding < microaggregation < resampling", "clinical", "order-of-divergence"),
    Line("Linkage: resampling < recoding < microaggregation", "clinical", "order-of-linkage"),
    Line("Balance: recoding is best for k ≤ 5, microaggregation above", "clinical", "order-of-scores"),
    Line("Suppression loses most", "clinical", "suppression-loses-most"),
    Line("A finer hierarchy: more is linked", "semantic_linkage", "finer-links-more"),
    Line("… and less is lost", "semantic_linkage", "finer-loses-less"),
    Line("Linkage by meaning hardly depends on the distance", "semantic_linkage", "linkage-hardly-depends-on-distance"),
    Line("Steps of a hierarchy lose what V prints", "hierarchy_quality", "transitions-as-printed"),
    Line("… and levels", "hierarchy_quality", "levels-as-printed"),
)
PAGES = {line.page for line in MAIN} | {line.also[0] for line in MAIN if line.also}
ABOUT = (
    "The publications' main conclusions in short, and whether they were found again. Each page has more conclusions, "
    "with explanations. A conclusion is *found* if it holds in every case that it covers; otherwise the table shows in "
    "how many it holds. *Own tables* are the publication's printed tables, checked against its own conclusion. Noise "
    "and swapping were also tried on tables that are not samples like the publications'. The last column shows these, "
    "from [noise levels](noise_levels.md) and [swapping intervals](swapping_intervals.md). [A framework for "
    "noise](noise_framework.md) explains `mean`, `pair` and `root`, and [semantic rank swapping](rank_swapping.md) "
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
