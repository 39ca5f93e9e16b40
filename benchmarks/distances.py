"""Rows and matrices of semantic distances: against filling the output, against each other, against the peers.

WordNet's nouns serve for all but the last tables. A row goes from one concept to all, warm. A matrix is 1000×1000
and includes its preparation: a new distance is made for it from the name, and concepts are given by their ids.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from distance_peers import PEERS, Work, measure_peer
from first_use import first_use, import_package
from sources import snomed_sized
from timing import (
    NO_BAR,
    Bar,
    Report,
    best_of,
    best_of_each,
    duration,
    in_new_process,
    megabytes,
    peak_memory,
    times,
)

import ontomask as om
from ontomask.distance import MEASURES

MAIN = ("wu_palmer", "log_sc", "lin")
BOUND = ("wu_palmer", "log_sc")
UNBOUND = ("x_similarity", "rodriguez")
ROW_TO_FLOOR, MATRIX_TO_FLOOR = Bar(60, times), Bar(40, times)
TO_WU_PALMER = Bar(5, times)
TO_NLTK, TO_COMPILED = Bar(20_000, times, at_least=True), Bar(300, times, at_least=True)
LARGE_ROW, LARGE_MEMORY = Bar(10e-3, duration), Bar(300e6, megabytes)
IMPORT = Bar(0.15, duration)

Ours = dict[tuple[str, str], float]


def main() -> None:
    """Print the tables."""
    report = Report("distances", "Distances")
    work = Work(om.load_wordnet())
    ours = _against_floor(report, work)
    _against_each_other(report, work)
    _against_peers(report, ours)
    _large(report)
    _first_use(report)
    report.close()


def _against_floor(report: Report, work: Work) -> Ours:
    """The main measures, and how long it takes to fill a row or a matrix with a number."""
    row = np.empty(len(work.taxonomy), dtype=np.float32)
    matrix = np.empty((len(work.chosen), len(work.chosen)), dtype=np.float32)
    floor = {"row": partial(row.fill, 1), "matrix": partial(matrix.fill, 1)}
    ours: Ours = {}
    rows = []
    for task, bar in (("row", ROW_TO_FLOOR), ("matrix", MATRIX_TO_FLOOR)):
        calls = {measure: _task(task, measure, work) for measure in MAIN}
        for call in calls.values():
            call()
        best = best_of_each({"floor": floor[task], **calls}, seconds=6, least=50, running=5)
        for measure in MAIN:
            ours[measure, task] = best[measure]
            ratio = best[measure] / best["floor"]
            cells = (measure, task, duration(best[measure]), duration(best["floor"]), times(ratio))
            rows.append((*cells, *(bar.cells(ratio) if measure in BOUND else NO_BAR)))
    report.text(
        "## Against filling the output",
        f"{work.taxonomy.annotations.name}, {len(work.taxonomy):,} concepts. The floor is the time to fill an array "
        "of the same size. A row is computed with a distance that is already in use. A matrix (1000×1000) includes "
        "its preparation: a new distance is made, and the concepts are given by their ids.",
    )
    report.table(("measure", "task", "time", "floor", "ratio", "bar", "verdict"), sorted(rows, key=_by_measure))
    return ours


def _by_measure(row: Sequence[str]) -> int:
    return MAIN.index(row[0])


def _task(task: str, measure: str, work: Work) -> Any:
    if task == "row":
        return partial(om.distance(measure, work.taxonomy).row, work.concept)
    return lambda: om.distance(measure, work.taxonomy).matrix(work.chosen)


def _against_each_other(report: Report, work: Work) -> None:
    """All measures, in use: what the formula costs, not its preparation."""
    distances = {name: om.distance(name, work.taxonomy) for name in MEASURES}
    rows = {name: partial(d.row, work.concept) for name, d in distances.items()}
    matrices = {name: partial(d.matrix, work.chosen) for name, d in distances.items()}
    for call in (*rows.values(), *matrices.values()):
        call()
    row = best_of_each(rows, seconds=5, least=20, running=5)
    matrix = best_of_each(matrices, seconds=8, least=10, running=3)
    lines = []
    for name in sorted(MEASURES, key=row.__getitem__):
        new = best_of(lambda name=name: om.distance(name, work.taxonomy), seconds=0.2)
        slower = max(row[name] / row["wu_palmer"], matrix[name] / matrix["wu_palmer"])
        cells = (name, duration(row[name]), duration(matrix[name]), duration(new), times(slower))
        lines.append((*cells, *(NO_BAR if name in ("wu_palmer", *UNBOUND) else TO_WU_PALMER.cells(slower))))
    report.text(
        "## All measures",
        "Row and matrix of a distance that is already in use, and the time to make the distance. The ratio is "
        "relative to Wu–Palmer, the larger one of row and matrix.",
    )
    report.table(("measure", "row", "matrix", "making it", "ratio", "bar", "verdict"), lines)


def _against_peers(report: Report, ours: Ours) -> None:
    """The peers on the same concepts; the bar for compiled ones is held against the fastest of them."""
    lines: list[tuple[str, ...]] = []
    offers: list[dict[str, Any]] = []
    for name in PEERS:
        try:
            found, _ = in_new_process(measure_peer, name)
        except RuntimeError as error:
            found = {"reason": str(error).splitlines()[-1]}
        if "reason" in found:
            lines.append(("–", "–", name, "–", f"not measured: {found['reason']}", *["–"] * 3, *NO_BAR))
        else:
            offers += [{"peer": f"{name} {found['version']}", **offer} for offer in found["offers"]]
    fastest: Ours = {}
    for offer in offers:
        key = offer["measure"], offer["task"]
        if offer["compiled"] and offer["seconds"] < fastest.get(key, float("inf")):
            fastest[key] = offer["seconds"]
    offers.sort(key=lambda offer: MAIN.index(offer["measure"]))
    lines += [_peer_line(offer, ours, fastest) for offer in offers]
    report.text(
        "## Against the peers",
        "Rows and matrices as in the first table. Ours are prepared again for each matrix, the peers' are not. For a "
        "peer only processor time counts; ≈ means that it is estimated from a sample of pairs. The next column shows "
        "how many of the pairs have the same value as ours, or – if the peer's measure is only similar: no compiled "
        "package has Wu–Palmer, and the most similar one is Lin (information content instead of depth). The bar for "
        "compiled peers (semsimian and go3, in Rust) refers to the fastest.",
    )
    head = ("measure", "task", "peer", "its measure", "its time", "ours", "same values", "ratio", "bar", "verdict")
    report.table(head, lines)


def _peer_line(offer: dict[str, Any], ours: Ours, fastest: Ours) -> tuple[str, ...]:
    key = offer["measure"], offer["task"]
    ratio = offer["seconds"] / ours[key]
    bar = NO_BAR
    if offer["measure"] in BOUND:
        if offer["peer"].startswith("nltk"):
            bar = TO_NLTK.cells(ratio)
        elif offer["compiled"] and offer["seconds"] == fastest[key]:
            bar = TO_COMPILED.cells(ratio)
    time = f"{'≈ ' if offer['sampled'] else ''}{duration(offer['seconds'])}"
    same = "–" if offer["same"] is None else f"{offer['same']:.1%}"
    return (*key, offer["peer"], offer["called"], time, duration(ours[key]), same, times(ratio), *bar)


def _large(report: Report) -> None:
    """A DAG as large as SNOMED CT: time of a row, and the memory of the kernels' arrays."""
    lines = []
    for measure in MAIN:
        # Every array in pages of its own: those of one that is freed go back to the system and count no longer.
        found, _ = in_new_process(large_dag, measure, MALLOC_MMAP_THRESHOLD_="65536")
        bound = measure == "wu_palmer"
        row, memory = found["row"], found["memory"]
        lines.append((measure, "row", duration(row), *(LARGE_ROW.cells(row) if bound else NO_BAR)))
        lines.append((measure, "matrix", duration(found["matrix"]), *NO_BAR))
        known = bound and memory is not None
        lines.append((measure, "memory", megabytes(memory), *(LARGE_MEMORY.cells(memory) if known else NO_BAR)))
    report.text(
        "## 350,000 concepts",
        f"A random DAG of {found['concepts']:,} concepts and {found['links']:,} links. Memory is the growth of the "
        "process at its peak while a distance is made and a row and a 1000×1000 matrix are computed, including the "
        "results. The taxonomy and the compiled code are loaded before.",
    )
    report.table(("measure", "what", "measured", "bar", "verdict"), lines)


def large_dag(measure: str) -> dict[str, Any]:
    """Times and memory of a measure on the large DAG; to be run in a process of its own."""
    taxonomy = snomed_sized()
    chosen = np.random.default_rng(0).choice(len(taxonomy), 1000, replace=False)
    distance = om.distance(measure, taxonomy)
    row = best_of(lambda: distance.row(300_000), seconds=3)
    matrix = best_of(lambda: distance.matrix(chosen), seconds=3)
    del distance
    gc.collect()
    before = peak_memory(since_now=True)
    distance = om.distance(measure, taxonomy)
    kept = distance.row(300_000), distance.matrix(chosen)
    after = peak_memory()
    memory = None if before is None or after is None else after - before
    links = len(taxonomy.graph.parent)
    return {
        "row": row,
        "matrix": matrix,
        "memory": memory,
        "concepts": len(taxonomy),
        "links": links,
        "kept": len(kept),
    }


def _first_use(report: Report) -> None:
    """Importing, and the first row and matrix in a new process, with and without kernels on disk."""
    seconds = min(in_new_process(import_package)[0] for _ in range(10))
    lines = [("import ontomask", "beyond NumPy", "–", "–", duration(seconds), *IMPORT.cells(seconds))]
    for measure in BOUND:
        with tempfile.TemporaryDirectory() as cache:
            cold, said = in_new_process(first_use, measure, NUMBA_CACHE_DIR=cache)
            warm = [in_new_process(first_use, measure, NUMBA_CACHE_DIR=cache)[0] for _ in range(5)]
        for task in ("row", "matrix"):
            notice = "yes" if "compiling" in said else "no"
            again = min(found[task] for found in warm)
            lines.append((measure, f"first {task}", duration(cold[task]), notice, duration(again), *NO_BAR))
    report.text(
        "## First use in a process",
        "The first row and then the first matrix in a new process: on a machine that never compiled the kernels, and "
        "with the kernels in the cache on disk. The matrix comes after the row, and shares some kernels with it. The "
        "package logs once that it compiles.",
    )
    report.table(("what", "", "never compiled", "says so", "cached", "bar", "verdict"), lines)


if __name__ == "__main__":
    main()
