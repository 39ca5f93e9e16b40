"""Intruders: how long they take, and their figures beside Anonymeter's on the same tables."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
import venv
from pathlib import Path

import polars as pl
from sources import diabetes130_file
from timing import Bar, Report, best_of, duration, times

import ontomask as om
from ontomask.evaluation.reading import read_masked
from ontomask.examples import diabetes130_data
from ontomask.examples.adult import adult_data

HERE = Path(__file__).resolve().parent
ANONYMETER = HERE.parent / ".venv-anonymeter"
PYTHON = ANONYMETER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main() -> None:
    """Measure and print."""
    report = Report("attacks", "Intruders")
    report.text(
        "*Attacked* is `om.attack`: every intruder on one release. All figures are exact, except for methods that are "
        "estimated by masking again. *Evaluated* is `om.evaluate` without these intruders; the ratio is what they add."
    )
    rows = []
    for name, data, limit, methods in cases():
        for method in methods:
            result = method.mask(data, seed=0)
            evaluated = best_of(lambda d=data, r=result: om.evaluate(d, r, attacks=False), seconds=0, least=1)
            if limit < 10:
                # Kernels are compiled at their first use.
                om.attack(data, result)
            begun = time.perf_counter()
            found = om.attack(data, result)
            attacked = time.perf_counter() - begun
            ratio = times(attacked / evaluated)
            percent = f"{found.worst.percent:.1f} % ({found.worst.intruder})"
            cells = [duration(evaluated), ratio, duration(attacked), *Bar(limit, duration).cells(attacked)]
            rows.append([name, _name(method), percent, *cells])
    report.table(["table", "method", "worst", "evaluated", "ratio", "attacked", "bar", ""], rows)
    report.text(
        "Anonymeter (Giomi et al. 2023) on the Adult census, 500 attacks each, in its own environment. "
        "*Linkability*: is the nearest released row by the masked columns the same as by the kept columns? *Singling "
        "out*: do values that are unique in the release identify one original? Our figures, exact and over all "
        "records: *unique* rows and *linked* records over the same columns. The questions differ, so the figures "
        "differ, too. But singling out and linked records should rank the tables in the same order."
    )
    head = ["released", "singling out", "linkability", "ours: unique", "ours: linked", "Anonymeter", "ours", "ratio"]
    report.table(head, against_anonymeter())
    report.close()


def _name(method: om.Method) -> str:
    return f"{type(method).__name__}, 2-diverse" if method.require else repr(method)


def cases() -> list[tuple[str, om.Microdata, float, list[om.Method]]]:
    """Tables, how long all intruders may take on each, and the methods that mask them."""
    census = adult_data("occupation", "native-country", numeric=["age"], confidential=["salary-class"])
    words = adult_data("occupation", "native-country", confidential=["salary-class"])
    diverse = om.Microaggregation(5, require=[om.Diversity("salary-class", 2)])
    found = [
        ("Adult, 3 masked, 5 kept", census, 3.0, [om.Microaggregation(5), diverse, om.RankSwapping(5)]),
        ("Adult, 2 masked, 6 kept", words, 3.0, [om.Generalisation(5), om.PRAM(0.8), om.UncorrelatedNoise(0.3)]),
    ]
    path = diabetes130_file()
    if path is not None:
        pairs = diabetes130_data(path, "diag_1", "diag_2", confidential=["readmitted"])
        methods = [om.Microaggregation(5), om.RankSwapping(5), om.UncorrelatedNoise(0.3)]
        found.append((f"diabetes130, 2 masked, {len(pairs.other)} kept", pairs, 30.0, methods))
    return found


def against_anonymeter() -> list[list[str]]:
    """One row a release of the same census."""
    if not _install():
        return [["not measured: anonymeter does not install here", *[""] * 7]]
    data = adult_data("occupation", "native-country", numeric=["age"], confidential=["salary-class"])
    names = [*data.quasi_identifiers, *data.other]
    # A seed each, or the rows would only change places.
    shuffled = data.frame.select(pl.col(name).shuffle(seed=i) for i, name in enumerate(data.frame.columns))
    releases = {
        "the original itself": data.frame,
        "Microaggregation(5), 5 columns kept": om.Microaggregation(5).mask(data, seed=0).frame,
        "Microaggregation(100), 5 columns kept": om.Microaggregation(100).mask(data, seed=0).frame,
        "every column shuffled": shuffled,
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        original, released = Path(folder) / "original.csv", Path(folder) / "released.csv"
        data.frame.select(names).write_csv(original)
        for name, frame in releases.items():
            frame.select(names).write_csv(released)
            theirs = _attack(original, released, list(data.quasi_identifiers), list(data.other))
            # The shuffled table would be refused as one in another order.
            masked, _ = read_masked(data, frame, rows=range(len(data)))
            ours = best_of(lambda m=masked: om.attack(data, m), seconds=0, least=1)
            known = om.attack(data, masked).all_columns
            seconds = theirs["linkability_seconds"] + theirs["singling_out_seconds"]
            figures = (theirs["singling_out"], theirs["linkability"], known.uniques, known.linked)
            shown = [f"{figure:.1f} %" for figure in figures]
            rows.append([name, *shown, duration(seconds), duration(ours), times(seconds / ours)])
    return rows


def _attack(original: Path, released: Path, known: list[str], other: list[str]) -> dict[str, float]:
    command = [PYTHON, HERE / "anonymeter_peer.py", original, released, ",".join(known), ",".join(other)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _install() -> bool:
    """Make Anonymeter's environment, unless it is there."""
    stamp = ANONYMETER / ".installed"
    if stamp.exists():
        return True
    venv.create(ANONYMETER, with_pip=True)
    command = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "anonymeter>=1.1,<2"]
    if subprocess.run(command, check=False).returncode:
        return False
    stamp.touch()
    return True


if __name__ == "__main__":
    main()
