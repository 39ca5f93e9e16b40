"""The papers' main conclusions and what became of them, on one page: taken from the verdicts of the others.

python experiments/at_a_glance.py
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from findings import DOCS, markdown

__all__ = ["MAIN", "page", "verdicts", "write_glance"]

# What the papers conclude, in our words, by page and by the text of the verdict there.
MAIN: Mapping[str, Mapping[str, str]] = {
    "noise_framework": {
        "actual RMSE ≥ target": "Noise is at least as large as it was to be, for α ≤ 0.5",
        "sVar* differs": "Variances grow as they should: within α/4",
        "correlated noise keeps sdCor better": "Correlated noise keeps the dependence of columns better",
        "`pair` keeps sdCor": "… with the reference `pair` better than with `mean`",
        "`root` keeps sdCor": "… with the reference `root` better than with `mean`",
        "`mean` gives": "`mean` moves the mean no farther than `pair`",
        "and break sdCor": "Distortion by chance breaks the dependence",
        "yet distortions": "… and may keep the mean better",
    },
    "correlated_noise": {"where the dependence is weak": "Where columns hardly depend, correlated noise gains little"},
    "rank_swapping": {
        "means and variances": "Rank swapping leaves means and variances exactly as they were",
        "the larger k, the larger": "Its RMSE grows with k",
        "Algorithm 2 has less": "Algorithm 2 has less RMSE than 3",
        "Algorithms 2 and 3 have significantly": "… and both far less than 1",
        "Algorithm 3 keeps": "Algorithm 3 keeps the dependence best",
        "it competes": "Swapping by frequency has about the RMSE of Algorithm 1",
        "but Algorithm 1": "… and keeps the dependence worse",
    },
    "centroid_strategies": {
        "on the whole table": "The semantic centroid is the best of all",
        "LCSC has": "… the least common subsumer the worst",
    },
    "microaggregation": {
        "L: moving centroids lose": "SA-MDAV loses no more with moving centroids than with static ones",
        "L: clusters of adaptive": "… with clusters of adaptive size less than with those of k records",
        "L: SA-MDAV loses less": "… and less than related work",
        "RL: Abril": "Abril's way is linked least",
        "RL: Domingo": "… the mode most",
    },
    "resampling": {"Sk-resampling": "Resampling by meaning loses least of four settings"},
    "semantic_recoding": {
        "by distribution": "Recoding by meaning loses less than by distribution",
        "RL is lower": "… and is linked less",
        "clusters of": "… and leaves clusters nearer to the original's",
    },
    "clinical": {
        "SSE: microaggregation <": "Loss: microaggregation < recoding < resampling",
        "KL divergence": "KL divergence: recoding < microaggregation < resampling",
        "SRL: resampling <": "Linkage: resampling < recoding < microaggregation",
        "score: recoding is best": "Balance: recoding is best for k ≤ 5, microaggregation above",
        "suppression loses": "Suppression loses most",
    },
    "semantic_linkage": {
        "a finer hierarchy: more": "A finer hierarchy: more is linked",
        "a finer hierarchy: less": "… and less is lost",
        "SRL hardly": "Linkage by meaning hardly depends on the distance",
    },
    "hierarchy_quality": {
        "TransGSL is": "Steps of a hierarchy lose what V prints",
        "LevelGSL is": "… and levels",
    },
}
ABOUT = (
    "What the publications conclude, in brief, and whether it was found again; on each page there is more of it, with "
    "the reasons. A conclusion is *found* where it holds in every case that it speaks of; else this table says in how "
    "many it does. *Own tables* are what the publication prints, held against its own conclusion."
)


def verdicts(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Where a page judges, and what; by conclusion."""
    lines = [line for line in text.partition("## Conclusions")[2].splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return head[3:], {conclusion: [source, *found] for _, conclusion, source, *found in rows}


def page(docs: Path = DOCS) -> str:
    """The page, from the others in a folder."""
    lines = []
    for name, wanted in MAIN.items():
        places, found = verdicts((docs / f"{name}.md").read_text(encoding="utf-8"))
        for start, told in wanted.items():
            (conclusion,) = (text for text in found if text.startswith(start))
            source, *cells = found[conclusion]
            lines.append([told, f"[{source}]({name}.md)", _told(places, cells)])
    return "\n\n".join(["# At a glance", ABOUT, markdown(["conclusion", "source", "found"], lines, left=3)]) + "\n"


def _told(places: list[str], cells: list[str]) -> str:
    judged = [(place, cell) for place, cell in zip(places, cells, strict=True) if cell != "—"]
    if all(cell.startswith("found") for _, cell in judged):
        return "found" + (" everywhere" if len(judged) > 1 else "")
    return "; ".join(f"{place}: {cell if cell.startswith('not') else 'found'}" for place, cell in judged)


def write_glance(docs: Path = DOCS) -> None:
    """Write it beside the others."""
    (docs / "at_a_glance.md").write_text(page(docs), encoding="utf-8")


if __name__ == "__main__":
    write_glance()
