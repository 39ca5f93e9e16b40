"""What attacks find in a release by the defaults of version 0.1 and by today's."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sources import diabetes130_file
from timing import Report

import ontomask as om
from ontomask.examples import diabetes130_data
from ontomask.examples.adult import adult_data, full_adult_data

# How precisely an intruder knows the position of a record, as a share of the table.
OFF = 0.01
OWN_WORDS = "pain (see Dr Smith, patient J. Doe 1961)"


def main() -> None:
    """Measure and print."""
    report = Report("leaks", "Attacks before and after")
    report.text(
        "The same attacks on a release with the defaults of version 0.1 and with today's. *Shown* means that the "
        "attack finds as much as before, but the report now shows this figure first instead of a smaller one."
    )
    report.table(["attack", "table", "0.1", "now"], [*demo(), *spelling(), *order(), *method()])
    report.close()


def demo() -> list[list[str]]:
    """The table that the demo writes: in 0.1 five columns were kept as they are."""
    before = adult_data("occupation", "native-country", numeric=["age"], confidential=["salary-class"])
    found = [om.attack(data, om.Microaggregation(5).mask(data, seed=0)) for data in (before, full_adult_data())]
    uniques = [f"{attacks.all_columns.uniques:.1f} %" for attacks in found]
    worst = [f"{attacks.worst.percent:.1f} %" for attacks in found]
    return [
        ["rows of the demo's table that are unique in all columns that could be known", "Adult", *uniques],
        ["records of the demo's table that the worst intruder links", "Adult", *worst],
    ]


def spelling() -> list[list[str]]:
    """One person's own words, which version 0.1 used as the name of a concept for other people."""
    taxonomy = om.Taxonomy.from_edges([(c, "pain") for c in ("ache", "colic", "cramp")] + [("pain", "any")])
    cells = [OWN_WORDS, *["ache", "colic", "cramp"] * 16, *["any"] * 5]
    attribute = om.Nominal(taxonomy, mapping={OWN_WORDS: "pain"})
    data = om.Microdata(pd.DataFrame({"symptom": cells}), {"symptom": attribute})
    released = om.Generalisation(20).mask(data, seed=0).frame["symptom"]
    became_pain = int((released == "pain").sum() + (released == OWN_WORDS).sum())
    now = int((released == OWN_WORDS).sum())
    return [["copies of one person's own words in the release", "made", str(became_pain), str(now)]]


def order() -> list[list[str]]:
    """An intruder knows the approximate position of a record and looks for the nearest meaning there."""
    path = diabetes130_file()
    if path is None:
        return []
    data = diabetes130_data(path)
    result = om.Microaggregation(5).mask(data, seed=0)
    rng = np.random.default_rng(0)
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("as_is", "shuffled"):
            options = {} if kind == "as_is" else {"seed": 2**64}
            rows = result.write(Path(folder) / f"{kind}.parquet", order=kind, **options).rows
            shares.append(f"{100 * _linked_by_position(data, result, np.asarray(rows), rng):.1f} %")
    what = f"records linked by an intruder who knows their position within {OFF:.0%} and three diagnoses"
    return [[what, "diabetes130", *shares]]


def _linked_by_position(data: om.Microdata, result: om.Result, rows: np.ndarray, rng: np.random.Generator) -> float:
    """Mean probability, over a sample of records, that the nearest row around the known position is their own."""
    n, around = len(rows), int(OFF * len(rows))
    original = np.stack([column.point[column.code] for column in data.quasi_identifiers.values()], axis=1)
    released = np.stack([column.point[column.code] for column in result.data.columns.values()], axis=1)[rows]
    position = np.empty(n, dtype=np.int64)
    position[rows] = np.arange(n)
    distances = [column.distance for column in data.quasi_identifiers.values()]
    found = 0.0
    targets = rng.choice(n, 500, replace=False)
    for record in targets.tolist():
        known = record + int(rng.integers(-around, around + 1))
        window = np.arange(max(known - around, 0), min(known + around + 1, n))
        far = sum(d.row(d.taxonomy.ids[original[record, j]])[released[window, j]] for j, d in enumerate(distances))
        nearest = window[far <= far.min() + 1e-9]
        found += (position[record] in nearest) / len(nearest)
    return found / len(targets)


def method() -> list[list[str]]:
    """What version 0.1 reported, and what an intruder who knows the method finds."""
    words = adult_data("occupation", "native-country", confidential=["salary-class"])
    noisy = om.attack(words, om.UncorrelatedNoise(0.3).mask(words, seed=0))
    assert noisy.method is not None
    said = f"{noisy.quasi_identifiers.linked:.2f} % linked"
    rows = [["shown: original combinations read back from noise", "Adult", said, f"{noisy.method.recovered:.1f} %"]]
    path = diabetes130_file()
    if path is not None:
        frame = diabetes130_data(path).frame.sample(5000, seed=0)
        icd9 = om.load_icd9cm()
        names = ("diag_1", "diag_2", "diag_3")
        sample = om.Microdata(frame.select(names), {name: om.Nominal(icd9, domain=icd9.root) for name in names})
        swapped = om.attack(sample, om.RankSwapping(5).mask(sample, seed=0))
        assert swapped.method is not None
        said = f"{swapped.quasi_identifiers.linked:.1f} % linked"
        found = f"{swapped.method.linked:.1f} % ± {swapped.method.error['linked']:.1g}"
        rows.append(["shown: records linked after rank swapping, k = 5", "diabetes130, 5,000 records", said, found])
    return rows


if __name__ == "__main__":
    main()
