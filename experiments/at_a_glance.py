"""The papers' main conclusions and what became of them, on one page: taken from the verdicts of the others.

python experiments/at_a_glance.py
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from findings import DOCS, markdown

__all__ = ["PAGES", "page", "verdicts", "write_glance"]


class Line(NamedTuple):
    """What a paper concludes, in our words; the page that judges it, and how the verdict begins there.

    ``also`` is the same for tables that are no samples like the paper's.
    """

    told: str
    page: str
    start: str
    also: tuple[str, str] | None = None


def _noise(told: str, start: str, also: str | None = None) -> Line:
    return Line(told, "noise_framework", start, also and ("noise_levels", also))


def _swapping(told: str, start: str) -> Line:
    """Both pages judge by the same rules."""
    return Line(told, "rank_swapping", start, ("swapping_intervals", start))


MAIN = (
    _noise("Noise is at least as large as it was to be, for α ≤ 0.5", "actual RMSE ≥", "actual RMSE ≥"),
    _noise("Variances are within α/4 of what is expected (over MONDO without noise, too)", "sVar*", "sVar*"),
    _noise(
        "Correlated noise keeps the dependence of columns better",
        "correlated noise keeps sdCor better",
        "correlated noise keeps sdCor better than uncorrelated noise of the same level",
    ),
    _noise("… with the reference `pair` better than with `mean`", "`pair` keeps sdCor", "`pair` and `root` keep"),
    _noise("… with the reference `root` better than with `mean`", "`root` keeps sdCor", "`pair` and `root` keep"),
    _noise("`mean` moves the mean no farther than `pair`", "`mean` gives", "`mean` moves the mean"),
    _noise("Distortion by chance breaks the dependence", "and break sdCor", "distortions by chance break"),
    _noise("… and may keep the mean better", "yet distortions", "yet they keep the mean"),
    Line(
        "Where columns hardly depend, correlated noise gains at most half as much",
        "correlated_noise",
        "where the dependence is weak",
        ("noise_levels", "where the dependence is weak"),
    ),
    _swapping("Rank swapping leaves means and variances exactly as they were", "means and variances"),
    _swapping("Its RMSE grows with k", "the larger k, the larger"),
    _swapping("Algorithm 2 has less RMSE than 3", "Algorithm 2 has less"),
    _swapping("… and both clearly less than 1", "Algorithms 2 and 3 have significantly"),
    _swapping("Algorithm 3 keeps the dependence best", "Algorithm 3 keeps"),
    _swapping("Swapping by frequency has about the RMSE of Algorithm 1", "it competes"),
    _swapping("… and keeps the dependence worse", "but Algorithm 1"),
    Line("The semantic centroid is the best of all", "centroid_strategies", "on the whole table"),
    Line("… the least common subsumer the worst", "centroid_strategies", "LCSC has"),
    Line(
        "SA-MDAV loses no more with moving centroids than with static ones",
        "microaggregation",
        "L: moving centroids lose",
    ),
    Line(
        "… with clusters of adaptive size less than with those of k records",
        "microaggregation",
        "L: clusters of adaptive",
    ),
    Line("… and less than related work", "microaggregation", "L: SA-MDAV loses less"),
    Line("Abril's way is linked least", "microaggregation", "RL: Abril"),
    Line("… the mode most", "microaggregation", "RL: Domingo"),
    Line("Resampling by meaning loses least of four settings", "resampling", "Sk-resampling"),
    Line("Recoding by meaning loses less than by distribution", "semantic_recoding", "by distribution"),
    Line("… and is linked less", "semantic_recoding", "RL is lower"),
    Line("… and leaves clusters nearer to the original's", "semantic_recoding", "clusters of"),
    Line("Loss: microaggregation < recoding < resampling", "clinical", "SSE: microaggregation <"),
    Line("KL divergence: recoding < microaggregation < resampling", "clinical", "KL divergence: recoding"),
    Line("Linkage: resampling < recoding < microaggregation", "clinical", "SRL: resampling <"),
    Line("Balance: recoding is best for k ≤ 5, microaggregation above", "clinical", "score: recoding is best"),
    Line("Suppression loses most", "clinical", "suppression loses"),
    Line("A finer hierarchy: more is linked", "semantic_linkage", "a finer hierarchy: more"),
    Line("… and less is lost", "semantic_linkage", "a finer hierarchy: less"),
    Line("Linkage by meaning hardly depends on the distance", "semantic_linkage", "SRL hardly"),
    Line("Steps of a hierarchy lose what V prints", "hierarchy_quality", "TransGSL is"),
    Line("… and levels", "hierarchy_quality", "LevelGSL is"),
)
PAGES = {line.page for line in MAIN} | {line.also[0] for line in MAIN if line.also}
ABOUT = (
    "What the publications conclude, in brief, and whether it was found again; on each page there is more of it, with "
    "the reasons. A conclusion is *found* where it holds in every case that it speaks of; else this table says in how "
    "many it does. *Own tables* are what the publication prints, held against its own conclusion. Noise and swapping "
    "were also tried on tables that are no samples like the publications': that is the last column, from [noise "
    "levels](noise_levels.md) and [swapping intervals](swapping_intervals.md). What `mean`, `pair` and `root` are, is "
    "told in [a framework for noise](noise_framework.md), and Algorithms 1 to 3 in [semantic rank "
    "swapping](rank_swapping.md)."
)


def verdicts(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Where a page judges, and what; by conclusion."""
    lines = [line for line in text.partition("## Conclusions")[2].splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return head[3:], {conclusion: [source, *found] for _, conclusion, source, *found in rows}


def page(docs: Path = DOCS) -> str:
    """The page, from the others in a folder."""
    judged = {name: verdicts((docs / f"{name}.md").read_text(encoding="utf-8")) for name in PAGES}
    lines = []
    for line in MAIN:
        source, told = _found(judged[line.page], line.start)
        also = _found(judged[line.also[0]], line.also[1])[1] if line.also else {}
        # The papers' own tables stand in the first of the two columns.
        elsewhere = {place: verdict for place, verdict in also.items() if not place.endswith("own tables")}
        lines.append([line.told, f"[{source}]({line.page}.md)", _told(told), _told(elsewhere)])
    head = ["conclusion", "source", "found", "on other tables"]
    return "\n\n".join(["# At a glance", ABOUT, markdown(head, lines, left=4)]) + "\n"


def _found(judged: tuple[list[str], dict[str, list[str]]], start: str) -> tuple[str, dict[str, str]]:
    """The source of a conclusion, and its verdicts by place."""
    places, found = judged
    (conclusion,) = (text for text in found if text.startswith(start))
    source, *cells = found[conclusion]
    return source, {place: cell for place, cell in zip(places, cells, strict=True) if cell != "—"}


def _told(found: Mapping[str, str]) -> str:
    if found and all(verdict.startswith("found") for verdict in found.values()):
        return "found on all" if len(found) > 1 else "found"
    return "; ".join(f"{place}: {cell if cell.startswith('not') else 'found'}" for place, cell in found.items())


def write_glance(docs: Path = DOCS) -> None:
    """Write it beside the others."""
    (docs / "at_a_glance.md").write_text(page(docs), encoding="utf-8")


if __name__ == "__main__":
    write_glance()
