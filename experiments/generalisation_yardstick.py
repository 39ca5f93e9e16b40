"""What users have today, as a yardstick: generalisation and suppression on Adult and diabetes130 (T 8.4.2, 9.2).

    python experiments/generalisation_yardstick.py
    python experiments/generalisation_yardstick.py --arx FOLDER --diabetes130 FILE --write

Adult's occupation × native-country over WordNet comes with the package. ``--arx`` names the folder with ARX's
hierarchies of the same columns (``adult_hierarchy_occupation.csv`` and so on), ``--diabetes130`` the table of
diagnoses; ``--write`` puts the page into ``docs/experiments/generalisation_yardstick.md``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from built_hierarchies import ARX
from findings import Findings, Setting, flat
from page_figures import write_page

import ontomask as om
from ontomask.examples import adult_data, diabetes130_data
from ontomask.masking import Method, Result
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.suppression import Suppression
from ontomask.operators.loss import loss_percent, semantic_loss, sse, sst
from ontomask.operators.space import space_of

PAGE = Path(__file__).parents[1] / "docs" / "experiments" / "generalisation_yardstick.md"
ADULT = ("occupation", "native-country")
ADULT_K = (2, 5, 10, 50, 128, 500, 1800)
DIABETES_K = (2, 5, 20)
# What full-domain generalisation and cells may do without, beside nothing.
SPARE = 0.05


@dataclass(frozen=True)
class Row:
    """One method at one k."""

    k: int
    method: str
    sse: float
    percent: float
    loss: float
    achieved: int | None
    tuples: int
    gone: str
    told: str
    seconds: float


def methods(k: int, hierarchies: Mapping[str, Path] | None = None) -> dict[str, Method]:
    """Everything that is measured at one k."""
    if hierarchies is not None:
        return {
            "local, ARX": Generalisation(k, hierarchies=hierarchies),
            "full domain, ARX": Generalisation(k, hierarchies=hierarchies, mode="full_domain"),
            f"full domain, ARX, {SPARE:.0%}": Generalisation(
                k, hierarchies=hierarchies, mode="full_domain", suppression=SPARE
            ),
        }
    return {
        "local": Generalisation(k),
        "local, by records": Generalisation(k, steps="records"),
        "full domain": Generalisation(k, mode="full_domain"),
        f"full domain, {SPARE:.0%}": Generalisation(k, mode="full_domain", suppression=SPARE),
        "cells": Suppression(k, mode="cells"),
        "records": Suppression(k),
    }


def measure(data: om.Microdata, ks: Sequence[int], hierarchies: Mapping[str, Path] | None = None) -> list[Row]:
    """All methods at all k."""
    total = sst(*originals(data))
    rows = []
    for k in ks:
        for name, method in methods(k, hierarchies).items():
            seconds = []
            for _ in range(3):
                start = time.perf_counter()
                result = method.mask(data, seed=0)
                seconds.append(time.perf_counter() - start)
            rows.append(_row(k, name, data, result, total, min(seconds)))
            print(f"  k = {k}, {name}: {min(seconds):.2f} s", file=sys.stderr)
    return rows


def originals(data: om.Microdata) -> tuple[list[object], list[np.ndarray], np.ndarray]:
    """Spaces, distinct tuples and counts."""
    table = data.table
    return [space_of(c) for c in table.columns], [table.points(j) for j in range(len(table.columns))], table.counts


def _row(k: int, name: str, data: om.Microdata, result: Result, total: float, seconds: float) -> Row:
    spaces = originals(data)[0]
    columns = data.quasi_identifiers.values()
    before = [c.point[c.code][result.data.rows] for c in columns]
    after = [c.point[c.code] for c in result.data.columns.values()]
    ones = np.ones(len(result.data))
    left_out = len(data) - len(result.data)
    cells = sum(result.details.get("suppressed_cells", {}).values())
    errors = sse(spaces, before, after, ones, suppressed=left_out)
    return Row(
        k,
        name,
        errors,
        loss_percent(errors, total),
        semantic_loss(spaces, before, after, ones, suppressed=left_out),
        result.guarantee.k,
        len(result.data.table) if len(result.data) else 0,
        f"{cells:,} cells" if cells else f"{left_out:,} records" if left_out else "",
        " ".join(map(str, result.details["levels"].values())) if "levels" in result.details else "",
        seconds,
    )


def table(rows: Sequence[Row]) -> str:
    """Markdown that can be read as it is."""
    head = ["k", "method", "SSE", "L %", "semantic loss", "achieved k", "tuples left", "suppressed", "levels", "s"]
    cells = [
        [
            f"{r.k:,}",
            r.method,
            f"{r.sse:,.1f}",
            f"{r.percent:.2f}",
            f"{r.loss:.4f}",
            "–" if r.achieved is None else f"{r.achieved:,}",
            f"{r.tuples:,}",
            r.gone,
            r.told,
            f"{r.seconds:.3f}" if r.seconds < 1 else f"{r.seconds:.1f}",
        ]
        for r in rows
    ]
    lines = [head, ["--:", "---", *["--:"] * 6, "---", "--:"], *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)


def report(parts: Mapping[str, tuple[om.Microdata, Sequence[Row]]], reading: str, command: str) -> str:
    """The whole page."""
    texts = [
        "# Generalisation and suppression: the yardstick",
        "What tools offer today, against which the semantic methods are measured. **local**: the rarest group of "
        "tuples climbs with the one that needs the fewest steps to where they meet (T 8.4.2), a step counted once a "
        "group or, *by records*, for every record; **full domain**: one level a column, the combination with the least "
        f"semantic loss among all that are k-anonymous, without suppression or with at most {SPARE:.0%} of the records "
        "left out; **cells**: single cells suppressed, that is released as the root; **records**: all records that "
        "fewer than k share left out (T 9.2). *ARX*: over ARX's own hierarchies, whose labels are released as the "
        "least common subsumers of their values in WordNet.",
        "SSE (T eq. 6.2), L = 100·SSE/SST (T eq. 6.4) and the semantic loss (T eq. 5.1) are under the columns' "
        "distance, Wu–Palmer inside the domain; a record left out counts 1. Levels are those chosen, column by column. "
        "Times are whole runs, released and verified, the best of three.",
    ]
    for title, (data, rows) in parts.items():
        texts += [f"## {title}", f"{len(data):,} records, {len(data.table):,} distinct tuples.", table(rows)]
    texts += ["## Reading", reading, f"Made by `{command}`."]
    return "\n\n".join(texts) + "\n"


def summary(parts: Mapping[str, tuple[om.Microdata, Sequence[Row]]]) -> str:
    """What the tables say, in their own numbers."""
    found = {(title, r.k, r.method): r for title, (_, rows) in parts.items() for r in rows}
    local = {(title, k): r for (title, k, method), r in found.items() if method == "local"}

    def ratios(method: str, base: Mapping[tuple[str, int], Row] = local, measure: str = "sse") -> list[float]:
        pairs = ((r, base.get((title, k))) for (title, k, name), r in found.items() if name == method)
        return [getattr(r, measure) / getattr(b, measure) for r, b in pairs if b is not None]

    def between(values: Sequence[float]) -> str:
        low, high = min(values), max(values)
        return f"{low:,.3g} to {high:,.3g} times" if high < 1000 else f"{low:,.1f} to {high:,.0f} times"

    spare = f"full domain, {SPARE:.0%}"
    ranked = [sorted((found[(*where, m)] for m in methods(2)), key=lambda r: r.sse) for where in local]
    least = sum(order[0].method.startswith("local") for order in ranked)
    most = sum(order[-1].method == "records" for order in ranked)
    by_loss, by_sse = ratios("local, by records", measure="loss"), ratios("local, by records")
    lines = [
        f"Local generalisation, in one of its two ways, has the least SSE in {least} of {len(ranked)} cases. "
        f"Full-domain generalisation has {between(ratios('full domain'))} as much, with {SPARE:.0%} left out "
        f"{between(ratios(spare))}; suppressed cells {between(ratios('cells'))}, suppressed records "
        f"{between(ratios('records'))}.",
        f"T found that suppressing records loses most (9.2.2). Here it has the greatest SSE in {most} of {len(ranked)} "
        f"cases, those in which many records are rare; in the others full-domain generalisation without suppression "
        f"has, which sends whole columns to the top for the sake of a few records.",
        f"Counting a step for every record that takes it, not once a group, gives {between(by_loss)} the semantic loss "
        f"and {between(by_sse)} the SSE: rare groups then seek each other and spare the common ones, but climb higher, "
        f"which squares punish.",
    ]
    arx = [r.sse / local["Adult over WordNet", k].sse for (_, k, name), r in found.items() if name == "local, ARX"]
    if arx:
        lines.append(
            f"Over ARX's hierarchies, which have one level between values and top, local generalisation has "
            f"{between(arx)} the SSE that it has over WordNet: a finer hierarchy loses less, as T 8.4.4 found."
        )
    return "\n\n".join(lines)


def run(setting: Setting) -> Findings:
    """For ``run.py``: ARX's hierarchies are those that the tests have."""
    adult, ks = adult_data(), (5,) if setting.quick else ADULT_K
    hierarchies = {name: ARX / f"adult_hierarchy_{name}.csv" for name in ADULT}
    parts = {
        "Adult over WordNet": (adult, measure(adult, ks)),
        "Adult over ARX's hierarchies": (adult, measure(adult, ks, hierarchies)),
    }
    for diagnoses in (("diag_1", "diag_2"), ("diag_1", "diag_2", "diag_3")) if setting.diabetes130 else ():
        data = diabetes130_data(setting.diabetes130, *diagnoses)
        parts[f"diabetes130, {len(diagnoses)} diagnoses over ICD-9-CM"] = (data, measure(data, DIABETES_K))
    command = "python experiments/generalisation_yardstick.py --arx FOLDER --diabetes130 FILE --write"
    rows = [flat(row, data=title) for title, (_, rows) in parts.items() for row in rows]
    return Findings(report(parts, summary(parts), command), rows)


def main() -> None:
    """Measure what data there are, print the page, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arx", type=Path, help="folder with adult_hierarchy_*.csv")
    parser.add_argument("--diabetes130", type=Path, help="diabetes130.csv or .csv.gz")
    parser.add_argument("--write", action="store_true", help=f"write docs/experiments/{PAGE.name}")
    arguments = parser.parse_args()
    adult = adult_data()
    parts = {"Adult over WordNet": (adult, measure(adult, ADULT_K))}
    if arguments.arx is not None:
        hierarchies = {name: arguments.arx / f"adult_hierarchy_{name}.csv" for name in ADULT}
        parts["Adult over ARX's hierarchies"] = (adult, measure(adult, ADULT_K, hierarchies))
    for diagnoses in (("diag_1", "diag_2"), ("diag_1", "diag_2", "diag_3")) if arguments.diabetes130 else ():
        data = diabetes130_data(arguments.diabetes130, *diagnoses)
        parts[f"diabetes130, {len(diagnoses)} diagnoses over ICD-9-CM"] = (data, measure(data, DIABETES_K))
    given = (" --arx FOLDER" if arguments.arx else "") + (" --diabetes130 FILE" if arguments.diabetes130 else "")
    page = report(parts, summary(parts), f"python experiments/generalisation_yardstick.py{given} --write")
    print(page)
    if arguments.write:
        write_page(PAGE, page)


if __name__ == "__main__":
    main()
