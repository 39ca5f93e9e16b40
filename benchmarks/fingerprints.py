"""Check that a change keeps every result: one SHA-256 per table and method, of the masked frame and of its evaluation.

    python benchmarks/fingerprints.py > before.txt                   # on the old sources
    python benchmarks/fingerprints.py --compare before.txt           # on the new ones: exit status 1 if one differs
    PYTHONPATH=OLD/src python benchmarks/fingerprints.py --only Recoding

Each line has the table, the method, the digest of the masked frame and the digest of the figures of ``evaluate``. Only
public names are used, so the script also runs on older sources. Adult comes with the package. diabetes130 is read from
the folder that ONTOMASK_DATA names, and left out without it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
from sources import NO_DIABETES130, diabetes130_file

import ontomask as om
from ontomask.examples import adult_data, diabetes130_data
from ontomask.examples.adult import adult_attributes, full_adult_data

SEED = 17
# Figures are sums of many floats. A different order of summation may change the last digits.
DIGITS = 9

Options = dict[str, Any]

# Methods for every kind of column.
ANY_COLUMN: list[tuple[str, Options]] = [
    ("NaiveDistortion", {}),
    ("ProbabilisticDistortion", {}),
    ("PRAM", {"stay": 0.5}),
    ("RankSwapping", {"k": 5}),
    ("RankSwapping", {"k": 5, "algorithm": 1}),
    ("RankSwapping", {"k": 5, "algorithm": 2}),
    ("RankSwapping", {"k": 5, "algorithm": 3, "interval": "unswapped"}),
    ("DataSwapping", {}),
    ("DistributionalRankSwapping", {"k": 5}),
    ("Suppression", {"k": 5}),
    ("Recoding", {"k": 5}),
    ("Microaggregation", {"k": 5}),
    ("Microaggregation", {"k": 5, "variant": "sa_mdav"}),
    ("Microaggregation", {"k": 5, "variant": "sa_mdav_static", "bounded": True}),
    ("Microaggregation", {"k": 5, "variant": "mdav"}),
    ("Microaggregation", {"k": 5, "variant": "mdav", "comparison": "equality", "centroid": "mode"}),
    ("Resampling", {"k": 5}),
    ("HeerResampling", {"samples": 4}),
]
NOMINAL_COLUMNS: list[tuple[str, Options]] = [
    ("UncorrelatedNoise", {"alpha": 0.4}),
    ("UncorrelatedNoise", {"alpha": 0.5, "distribution": "laplace"}),
    ("CorrelatedNoise", {"alpha": 0.4}),
    ("CorrelatedNoise", {"alpha": 0.3, "reference": "root"}),
    ("Generalisation", {"k": 5}),
    ("Generalisation", {"k": 5, "variant": "best_first", "steps": "records", "suppression": 0.2}),
    ("Generalisation", {"k": 5, "mode": "full_domain", "suppression": 0.1}),
    ("Suppression", {"k": 5, "mode": "cells"}),
]
# Methods whose k counts persons where a person has several records.
PERSONS: list[tuple[str, Options]] = [
    ("Recoding", {"k": 5}),
    ("Microaggregation", {"k": 5}),
    ("Microaggregation", {"k": 5, "variant": "sa_mdav"}),
    ("Generalisation", {"k": 5}),
    ("Generalisation", {"k": 5, "mode": "full_domain", "suppression": 0.1}),
    ("Suppression", {"k": 5}),
    ("Suppression", {"k": 5, "mode": "cells"}),
]
# The reference of a pair needs an even number of columns with one domain.
PAIR: list[tuple[str, Options]] = [
    ("CorrelatedNoise", {"alpha": 0.4, "reference": "pair"}),
    ("CorrelatedNoise", {"alpha": 1.0, "reference": "pair", "distribution": "laplace"}),
]
DIAGNOSES = ("diag_1", "diag_2", "diag_3")


def main() -> None:
    """Print the fingerprints, or compare them with those in a file."""
    parser = argparse.ArgumentParser(description="Print one SHA-256 per table and masking method.")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="exit with 1 and list what differs from FILE")
    parser.add_argument("--times", action="store_true", help="print the processor time of each case, and no digests")
    parser.add_argument("--only", default="", metavar="TEXT", help="only lines whose table or method contains TEXT")
    parser.add_argument(
        "--records", type=int, default=20_000, metavar="N", help="first records of diabetes130 (default: %(default)s)"
    )
    given = parser.parse_args()
    expected = None if given.compare is None else dict(map(_split, given.compare.read_text().splitlines()))
    differing = []
    for table, data, methods, attacks in tables(given.records):
        for name, options in methods:
            label = f"{table}\t{name}({', '.join(f'{key}={value}' for key, value in options.items())})"
            if given.only not in label:
                continue
            start = time.process_time()
            digests = "\t".join(fingerprint(data, name, options, attacks))
            seconds = time.process_time() - start
            print(f"{label}\t{seconds:.3f}" if given.times else f"{label}\t{digests}", flush=True)
            if expected is not None and expected.get(label) != digests:
                differing.append(f"{label}\n    {expected.get(label, 'absent')}\n    {digests}")
    if expected is not None:
        print("\n".join(["Different:", *differing]) if differing else "All equal.", file=sys.stderr)
        sys.exit(bool(differing))


def tables(records: int) -> Iterator[tuple[str, om.Microdata, list[tuple[str, Options]], bool]]:
    """Name, data and methods of each table, and whether intruders are measured as well."""
    words = adult_data("occupation", "native-country", confidential=["salary-class"])
    requirements: list[tuple[str, Options]] = [
        ("Microaggregation", {"k": 5, "require": [om.Diversity("salary-class", 2)]}),
        ("Microaggregation", {"k": 5, "require": [om.Closeness("salary-class", 0.3)]}),
    ]
    yield "adult words", words, [*ANY_COLUMN, *NOMINAL_COLUMNS, *requirements], True

    yield "adult", full_adult_data(), ANY_COLUMN, False
    attributes = adult_attributes()
    nominal = {name: kind for name, kind in attributes.items() if isinstance(kind, (om.Nominal, om.Category))}
    other = [name for name in attributes if name not in nominal]
    frame = full_adult_data().frame
    yield (
        "adult nominal",
        om.Microdata(frame, nominal, confidential=["salary-class"], other=other),
        NOMINAL_COLUMNS,
        False,
    )

    path = diabetes130_file()
    if path is None:
        print(NO_DIABETES130, file=sys.stderr)
        return
    sample = diabetes130_data(path).frame.head(records)
    yield "diabetes130", diabetes(sample, *DIAGNOSES), [*ANY_COLUMN, *NOMINAL_COLUMNS], False
    yield "diabetes130 persons", diabetes(sample, *DIAGNOSES, person="patient_nbr"), PERSONS, False
    yield "diabetes130 pair", diabetes(sample, *DIAGNOSES[:2]), PAIR, False


def diabetes(frame: pl.DataFrame, *diagnoses: str, person: str | None = None) -> om.Microdata:
    """Mask some diagnoses of the hospital records over ICD-9-CM."""
    icd9 = om.load_icd9cm()
    identifiers = ["encounter_id", "patient_nbr"]
    other = [name for name in frame.columns if name not in (*diagnoses, *identifiers)]
    attributes = {name: om.Nominal(icd9, domain=icd9.root) for name in diagnoses}
    return om.Microdata(frame, attributes, identifiers=identifiers, person=person, other=other)


def fingerprint(data: om.Microdata, name: str, options: Options, attacks: bool) -> tuple[str, str]:
    """Digests of the masked frame and of the figures; the class of the error where the method refuses the data."""
    try:
        result = getattr(om, name)(**options).mask(data, seed=SEED)
    except om.OntomaskError as error:
        return type(error).__name__, "-"
    score = om.evaluate(data, result, attacks=attacks, seed=SEED)
    figures = [score.semantic_loss, score.sse, score.sst, score.loss_percent, score.k, score.rl, score.mrl, score.srl]
    figures += score.rmse.values()
    for change in score.sdcor.values():
        figures += [change.before, change.after]
    figures += [score.all_columns.k, score.all_columns.uniques, score.all_columns.linked]
    if attacks:
        figures += [score.worst, score.linked_by_method, score.recovered]
    frame = result.frame
    # A record separator ends the names, so that no cell is mistaken for one.
    masked = "\x1e".join([",".join(frame.columns), frame.write_csv(include_header=False)])
    return _digest(masked), _digest(" ".join("-" if f is None else f"{f:.{DIGITS}g}" for f in figures))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _split(line: str) -> tuple[str, str]:
    table, method, masked, figures = line.split("\t")
    return f"{table}\t{method}", f"{masked}\t{figures}"


if __name__ == "__main__":
    main()
