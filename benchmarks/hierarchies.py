"""Building hierarchies: time, up to the size of SNOMED CT, and information loss compared with cuts at a depth."""

from __future__ import annotations

import time

import numpy as np
from sources import snomed_sized
from timing import NO_BAR, Bar, Report, duration, megabytes, peak_memory, times

import ontomask as om
from ontomask.hierarchy.building import BuiltHierarchy, build_hierarchy

BARS = {"ICD-10-CM": 10.0, "as large as SNOMED CT": 60.0}


def main() -> None:
    """Measure and print."""
    report = Report("hierarchies", "Building hierarchies")
    report.text(
        "A hierarchy for a column with every code of an ontology (for WordNet and the random polyhierarchy every "
        "concept, also inner ones), with counts from Zipf's law and the default number of levels. The values are "
        "mapped before. One run each, after a small column has compiled the kernels. Memory is what was added at the "
        "peak."
    )
    build_hierarchy(["dog", "cat", "carp"], om.load_wordnet())
    columns = {
        "ICD-9-CM": leaves(om.load_icd9cm()),
        "ICD-10-CM": leaves(om.load_icd10cm()),
        "WordNet 3.0 nouns": everything(om.load_wordnet()),
        "as large as SNOMED CT": everything(snomed_sized()),
    }
    rows = []
    compared = []
    for name, (taxonomy, mapped) in columns.items():
        held = peak_memory(since_now=True)
        start = time.perf_counter()
        h = build_hierarchy(mapped, taxonomy)
        seconds = time.perf_counter() - start
        peak = peak_memory()
        added = None if held is None or peak is None else peak - held
        groups = " ".join(f"{len(h.labels(level)):,}" for level in range(1, h.height + 1))
        bar = Bar(BARS[name], duration).cells(seconds) if name in BARS else NO_BAR
        rows.append([name, f"{len(h.leaves):,}", groups, megabytes(added), duration(seconds), *bar])
        compared += against_cuts(name, taxonomy, mapped)
    report.table(["ontology", "values", "groups of each level", "memory", "measured", "bar", ""], rows)
    report.text(
        "Compared with the usual levels of a code system, with as many levels and groups: a level is one depth, and "
        "each value becomes its ancestor there (by the first parent). Loss is the Wu–Palmer distance, the mean over "
        "levels of the mean over records (built with objective='mean') or of the largest of a level ('max')."
    )
    report.table(["ontology", "loss", "levels", "cuts", "ours", "ratio", "bar", ""], compared)
    report.close()


def leaves(taxonomy: om.Taxonomy) -> tuple[om.Taxonomy, om.ColumnMapping]:
    """A column of all codes without children."""
    return column(taxonomy, [c for c in taxonomy.ids if not taxonomy.children(c)])


def everything(taxonomy: om.Taxonomy) -> tuple[om.Taxonomy, om.ColumnMapping]:
    """A column of all concepts."""
    return column(taxonomy, list(taxonomy.ids))


def column(taxonomy: om.Taxonomy, values: list[str]) -> tuple[om.Taxonomy, om.ColumnMapping]:
    """The values with skewed counts, mapped."""
    counts = np.random.default_rng(0).zipf(1.5, len(values)).clip(max=10_000)
    return taxonomy, om.map_values(dict(zip(values, counts.tolist(), strict=True)), taxonomy)


def against_cuts(name: str, taxonomy: om.Taxonomy, mapped: om.ColumnMapping) -> list[list[str]]:
    """Two rows: the mean loss and the greatest."""
    d = om.distance("wu_palmer", taxonomy, root_depth=2)
    points = taxonomy.codes(mapped.concepts.values())
    counts = np.array([v.count for v in mapped.values])
    cuts = cuts_at_depths(taxonomy, points)
    groups = [len(np.unique(cut)) for cut in cuts]
    cut_losses = [d.pairs(points, cut) for cut in cuts]
    rows = []
    for objective, loss in (
        ("mean", lambda each: float(np.average(each, weights=counts))),
        ("max", lambda each: float(each.max())),
    ):
        h = build_hierarchy(mapped, taxonomy, groups=groups, objective=objective)
        theirs = float(np.mean([loss(each) for each in cut_losses]))
        ours = float(np.mean([loss(each) for each in losses(h, d, mapped)]))
        bar = Bar(1.0, times, at_least=True).cells(theirs / ours)
        rows.append([name, objective, str(h.height), f"{theirs:.4f}", f"{ours:.4f}", times(theirs / ours), *bar])
    return rows


def cuts_at_depths(taxonomy: om.Taxonomy, points: np.ndarray) -> list[np.ndarray]:
    """For each depth, the deepest first, the ancestors of all values; depths that merge nothing are left out."""
    graph = taxonomy.graph
    first_parent = graph.parent[np.minimum(graph.parent_start[:-1], len(graph.parent) - 1)]
    at = points.copy()
    cuts, fewest = [], len(points)
    top = graph.depth[graph.lcs(points.tolist())]
    for depth in range(int(graph.depth[points].max()) - 1, int(top) - 1, -1):
        while (deeper := graph.depth[at] > depth).any():
            at = np.where(deeper, first_parent[at], at)
        number = len(np.unique(at))
        if number < fewest:
            cuts.append(at.copy())
            fewest = number
    return cuts


def losses(h: BuiltHierarchy, d: om.Distance, mapped: om.ColumnMapping) -> list[np.ndarray]:
    """What each value, in the order of the mapping, loses on each level."""
    points = d.taxonomy.codes(mapped.concepts.values())
    out = []
    for level in range(1, h.height + 1):
        labels = h.at(level)
        becomes = d.taxonomy.codes(h.concepts[labels[v.value]] for v in mapped.values)
        out.append(d.pairs(points, becomes))
    return out


if __name__ == "__main__":
    main()
