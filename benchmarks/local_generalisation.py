"""Local generalisation: what records lose at equal k, beside ARX's local recoding, in processor time.

The tables: Adult, all 30,162 complete records with eight quasi-identifiers over ARX's own hierarchies; and diabetes130,
98,052 records with race, gender, age and three ICD-9-CM diagnoses. Attributes are nominal over the hierarchy as an
ontology, with Wu–Palmer distances. ARX's ages are relabelled with `with_true_ranges`, as 25 is below 20-24 there; this
does not change which values share a label. ARX's figures are those of ARX 3.9.2 on such a machine (local recoding with
the step 1/n); it is not run here.

NCP is the mean over all cells of (leaves below the released node − 1) / (leaves − 1). *Coarser* is the share of cells
that changed at all. *False if guessed* is the mean of 1 − 1 / leaves: how often somebody is wrong who draws one of the
leaves below a released node. TV2 is the mean total variation between the distributions of pairs of columns before and
after, where a released node counts for all leaves below it in equal parts. It is left out for ICD-9-CM, which has too
many pairs of leaves. L and SRL are those of `evaluate`.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import combinations
from pathlib import Path

from sources import NO_DIABETES130, diabetes130_file
from timing import Report, duration

KS = (2, 5, 10, 50)
# At each k: NCP, L, and processor seconds, as far as they were measured.
ARX_ADULT = {5: (5.4, 6.2, 26.9), 10: (8.4, None, None), 50: (15.7, None, None)}
ARX_DIABETES = {5: (7.7, None, None)}
COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


def adult():
    """All complete records of Adult over ARX's hierarchies; ``None`` without the files."""
    import polars as pl

    import ontomask as om
    from ontomask.hierarchy import with_true_ranges

    folder = Path(os.environ.get("ONTOMASK_DATA", "no such folder")) / "arx_adult"
    if not folder.exists():
        return None
    frame = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False).select(COLUMNS)
    files = {name: om.read_hierarchy(folder / f"adult_hierarchy_{name}.csv") for name in COLUMNS}
    return om.Microdata(frame, {name: om.Nominal(with_true_ranges(h).to_taxonomy()) for name, h in files.items()})


def diabetes():
    """Complete records of diabetes130 with six quasi-identifiers; ``None`` without the file."""
    import polars as pl

    import ontomask as om

    path = diabetes130_file()
    if path is None:
        return None
    columns = ["race", "gender", "age", "diag_1", "diag_2", "diag_3"]
    frame = pl.read_csv(path, infer_schema=False).select(columns)
    frame = frame.filter(pl.all_horizontal(pl.col(name) != "?" for name in columns))
    frame = frame.filter(pl.col("gender") != "Unknown/Invalid")
    icd9 = om.load_icd9cm()
    decades = sorted(frame["age"].unique())
    ages = om.Hierarchy.from_rows(
        [(age, f"{at // 2 * 20}-{at // 2 * 20 + 19}", f"{at // 4 * 40}-", "*") for at, age in enumerate(decades)]
    )
    flat = {name: om.Hierarchy.from_rows([(v, "*") for v in sorted(frame[name].unique())]) for name in columns[:2]}
    kinds = {name: om.Nominal(h.to_taxonomy()) for name, h in {**flat, "age": ages}.items()}
    return om.Microdata(frame, kinds | dict.fromkeys(columns[3:], om.Nominal(icd9)))


def spread_evenly(domain):
    """For each concept (row) the share of each leaf below it; ``None`` if there are many concepts."""
    import numpy as np

    if len(domain) > 2000:
        return None
    code = {concept: i for i, concept in enumerate(domain.ids)}
    leaves = [concept for concept in domain.ids if not domain.children(concept)]
    below = np.zeros((len(domain), len(leaves)))
    for i, leaf in enumerate(leaves):
        below[[code[concept] for concept in domain.subsumers(leaf)], i] = 1
    return below / below.sum(axis=1, keepdims=True)


def measure(data, method) -> dict[str, float]:
    """Processor time of a run, and what the released table lost."""
    import numpy as np

    import ontomask as om
    from ontomask.distance.information import summed_below

    begun = time.process_time()
    result = method.mask(data, seed=0)
    seconds = time.process_time() - begun
    before = {name: c.point[c.code] for name, c in data.quasi_identifiers.items()}
    after = {name: c.point[c.code] for name, c in result.data.columns.items()}
    penalties, guesses = [], []
    for name, column in data.quasi_identifiers.items():
        graph = column.domain.graph
        leaves = summed_below(column.domain, (np.diff(graph.child_start) == 0).astype(float))
        penalty = (leaves - 1) / (leaves[0] - 1)
        penalties.append(np.where(before[name] == after[name], 0, penalty[after[name]]).mean())
        guesses.append(np.where(before[name] == after[name], 0, 1 - 1 / leaves[after[name]]).mean())
    spread = {name: spread_evenly(column.domain) for name, column in data.quasi_identifiers.items()}
    variations = []
    for a, b in combinations(before, 2):
        if spread[a] is None or spread[b] is None:
            continue
        joint = np.zeros((2, len(spread[a]), len(spread[b])))
        for sign, side in enumerate((before, after)):
            np.add.at(joint[sign], (side[a], side[b]), 1 / len(data))
        variations.append(np.abs(spread[a].T @ (joint[0] - joint[1]) @ spread[b]).sum() / 2)
    score = om.evaluate(data, result.data, attacks=False)
    return {
        "seconds": seconds,
        "ncp": 100 * float(np.mean(penalties)),
        "coarser": 100 * float(np.mean([before[name] != after[name] for name in before])),
        "false": 100 * float(np.mean(guesses)),
        "tv2": 100 * float(np.mean(variations)) if len(variations) == len(before) * (len(before) - 1) // 2 else np.nan,
        "loss": score.loss_percent,
        "srl": score.srl,
        "k": result.guarantee.k,
    }


def rows_of(data, arx, ks) -> list[list[str]]:
    """A row for each k and variant."""
    import numpy as np

    import ontomask as om

    rows = []
    for k in ks:
        variants = {
            "least cost": om.Generalisation(k),
            "least cost, NCP": om.Generalisation(k, objective="ncp"),
            "least cost, distance": om.Generalisation(k, objective="semantic_loss"),
            "best first": om.Generalisation(k, variant="best_first"),
        }
        for name, method in variants.items():
            found = measure(data, method)
            assert found["k"] >= k
            ncp, loss, seconds = arx.get(k, (None, None, None)) if name == "least cost" else (None, None, None)
            is_met = ""
            if ncp is not None:
                bars = [found["ncp"] < ncp, loss is None or found["loss"] < loss]
                bars.append(seconds is None or found["seconds"] <= seconds / 2)
                is_met = "ok" if all(bars) else "missed"
            figures = [
                "" if np.isnan(found[x]) else f"{found[x]:.2f}"
                for x in ("ncp", "coarser", "false", "tv2", "loss", "srl")
            ]
            theirs = (
                ""
                if ncp is None
                else f"NCP {ncp}" + (f", L {loss}" if loss else "") + (f", {seconds} s" if seconds else "")
            )
            rows.append([name, str(k), duration(found["seconds"]), *figures, theirs, is_met])
            print(*rows[-1], flush=True, file=sys.stderr)
    return rows


def main() -> None:
    """Measure and print."""
    import ontomask as om

    report = Report("local_generalisation", "Local generalisation beside ARX's local recoding")
    head = [
        "variant",
        "k",
        "processor time",
        "NCP %",
        "coarser cells %",
        "false if guessed %",
        "TV2 %",
        "L",
        "SRL",
        "ARX 3.9.2, step 1/n",
        "",
    ]
    quick = "--quick" in sys.argv
    for name, make, arx in (("Adult, 8 columns", adult, ARX_ADULT), ("diabetes130, 6 columns", diabetes, ARX_DIABETES)):
        data = make()
        if data is None:
            report.text(f"{name} was not measured. " + NO_DIABETES130)
            continue
        # Compiled code is loaded or made before anything is measured.
        om.Generalisation(2, variant="best_first").mask(_small(), seed=0)
        om.Generalisation(2).mask(_small(), seed=0)
        report.text(f"{name}: {len(data):,} records, {len(data.table):,} distinct tuples.")
        report.table(head, rows_of(data, arx, (5,) if quick else KS))
    report.close()


def _small():
    import polars as pl

    import ontomask as om

    t = om.Taxonomy.from_edges([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("x", "z"), ("y", "z")])
    return om.Microdata(
        pl.DataFrame({"v": list("abcdabc"), "w": list("abcdbca")}), {"v": om.Nominal(t), "w": om.Nominal(t)}
    )


if __name__ == "__main__":
    main()
