"""Synthetic records at equal ε: OpenDP's AIM and MST, `SyntheticRecords`, and methods that mask record by record.

OpenDP runs in an environment of its own, since `opendp[mbi]` needs another version of polars.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import exp
from pathlib import Path

import numpy as np
import polars as pl
from sources import NO_DIABETES130, diabetes130_file
from timing import Report, duration

import ontomask as om
from ontomask.examples.adult import adult_data
from ontomask.examples.diabetes130 import diabetes130_data
from ontomask.kinds.public import concepts_above
from ontomask.masking.metric_privacy.synthetic import count_bins

HERE = Path(__file__).resolve().parent
OPENDP = HERE.parent / ".venv-opendp"
PYTHON = OPENDP / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

EPSILONS = (1.0, 2.0, 4.0, 8.0)
PEERS = ("MST", "AIM")
# All methods release concepts down to this depth: MST takes more than 20 minutes for all 17,732 of ICD-9-CM.
DEPTH = 2
SECONDS = 600


@dataclass(frozen=True, eq=False)
class Case:
    """A table in which each value is replaced by the concept above it at the depth.

    Attributes
    ----------
    data
        The table.
    keys
        The public values of each column: all concepts down to the depth.
    """

    data: om.Microdata
    keys: dict[str, list[str]]

    @classmethod
    def of(cls, data: om.Microdata) -> Case:
        """Coarsen all columns."""
        cells, keys = {}, {}
        for name, column in data.quasi_identifiers.items():
            domain = column.public_domain(None)
            bins, ids = count_bins(domain, DEPTH), column.domain.ids
            keys[name] = [ids[code] for code in bins.released.tolist()]
            cells[name] = [keys[name][i] for i in bins.of_input(domain.inputs(column.point))[column.code].tolist()]
        kinds = {name: column.kind for name, column in data.quasi_identifiers.items()}
        ids_only = {name: om.Nominal(kind.taxonomy, domain=kind.domain, release="id") for name, kind in kinds.items()}
        return cls(om.Microdata(pl.DataFrame(cells), ids_only), keys)

    def randomised_response(self, epsilon: float) -> pl.DataFrame:
        """Each value stays or is replaced by any other public one; blind to meaning (Kairouz 2016)."""
        rng, columns = np.random.default_rng(0), {}
        for name, keys in self.keys.items():
            own = self.data.frame[name].replace_strict(keys, range(len(keys))).to_numpy()
            share = exp(epsilon / len(self.keys))
            other = rng.integers(0, len(keys) - 1, len(own))
            other += other >= own
            drawn = np.where(rng.random(len(own)) < share / (share + len(keys) - 1), own, other)
            columns[name] = [keys[i] for i in drawn.tolist()]
        return pl.DataFrame(columns)


def main() -> None:
    """Measure and print."""
    report = Report("synthetic_records", "Synthetic records at equal ε")
    report.text(
        f"All tables hold concepts down to depth {DEPTH} of the domain; deeper originals count as theirs. ε is that of "
        "a record over all columns. AIM, MST and `SyntheticRecords` trust whoever counts the whole table. Metric "
        "privacy and randomised response mask each record where it arises, which costs more at equal ε. *One-way* and "
        "*two-way*: how much the shares of concepts, and of pairs, differ from those of the original (total variation, "
        f"the mean over depths 1 to {DEPTH} and over columns or pairs). On a tree, one-way is the earth mover's "
        "distance over links. *sdCor*: the largest change of distance correlation of a pair. *Time*: processor time. "
        "*Failed*: OpenDP stopped with an error of its own, also if tried again."
    )
    cases = {"Adult": adult_data("occupation", "native-country")}
    path = diabetes130_file()
    if path is None:
        report.text(NO_DIABETES130)
    else:
        cases["diabetes130"] = diabetes130_data(path)
    has_peers = installed()
    if not has_peers:
        report.text("OpenDP's AIM and MST were not measured: `opendp[mbi]` could not be installed.")
    for name, data in cases.items():
        case = Case.of(data)
        sizes = ", ".join(f"{column} ({len(keys):,})" for column, keys in case.keys.items())
        report.text(f"## {name}", f"{len(data):,} records; columns with their public values: {sizes}.")
        report.table(["ε", "method", "one-way", "two-way", "sdCor", "time"], list(rows(case, has_peers)))
    report.close()


def rows(case: Case, has_peers: bool) -> Iterator[list[str]]:
    """The figures of each method at each ε."""
    before = correlations(case.data, case.data.frame)
    for epsilon in EPSILONS:
        methods: dict[str, Callable[[], pl.DataFrame]] = {
            "SyntheticRecords": lambda e=epsilon: om.SyntheticRecords(e, depth=DEPTH).mask(case.data).frame,
            "MetricPrivacy": lambda e=epsilon: om.MetricPrivacy(e, depth=DEPTH).mask(case.data).frame,
            "randomised response": lambda e=epsilon: case.randomised_response(e),
        }
        for peer in PEERS if has_peers else ():
            seconds, frame = opendp(peer, case, epsilon)
            if frame is None:
                yield [f"{epsilon:g}", peer, "–", "–", "–", seconds]
            else:
                yield [f"{epsilon:g}", peer, *figures(case.data, frame, before), seconds]
        for name, run in methods.items():
            begun = time.process_time()
            frame = run()
            taken = duration(time.process_time() - begun)
            yield [f"{epsilon:g}", name, *figures(case.data, frame, before), taken]


def figures(data: om.Microdata, frame: pl.DataFrame, before: np.ndarray) -> list[str]:
    """The errors of one- and two-way marginals, and the largest change of a correlation."""
    names = list(data.quasi_identifiers)
    single = [marginal_error(data, frame, (name,)) for name in names]
    pairs = [marginal_error(data, frame, pair) for pair in combinations(names, 2)]
    change = np.abs(correlations(data, frame) - before).max()
    return [f"{np.mean(single):.3f}", f"{np.mean(pairs):.3f}", f"{change:.3f}"]


def marginal_error(data: om.Microdata, frame: pl.DataFrame, names: tuple[str, ...]) -> float:
    """The total variation of the shares of concepts (or of their combinations), the mean over depths."""
    found = []
    for depth in range(1, DEPTH + 1):
        shares = []
        for table in (data.frame, frame):
            columns = {}
            for name in names:
                domain = data.quasi_identifiers[name].domain
                columns[name] = concepts_above(domain, depth)[domain.codes(table[name].to_list())]
            counts = pl.DataFrame(columns).group_by(names).len()
            shares.append(counts.with_columns(share=pl.col("len") / len(table)).drop("len"))
        both = shares[0].join(shares[1], on=names, how="full", coalesce=True).fill_null(0)
        found.append(float((both["share"] - both["share_right"]).abs().sum()) / 2)
    return float(np.mean(found))


def correlations(data: om.Microdata, frame: pl.DataFrame) -> np.ndarray:
    """The distance correlation of each pair of columns."""
    distances = {name: column.space.distance for name, column in data.quasi_identifiers.items()}
    pairs = combinations(data.quasi_identifiers, 2)
    return np.array([om.distance_correlation(frame[a], frame[b], distances[a], distances[b]) for a, b in pairs])


def installed() -> bool:
    """Whether the environment of OpenDP is there; it is made if it is not."""
    if PYTHON.is_file():
        return True
    try:
        venv.create(OPENDP, with_pip=True)
        packages = ["opendp[mbi]==0.16.0", "pandas", "pyarrow"]
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *packages], check=True)
    except (OSError, subprocess.SubprocessError) as problem:
        print(problem)
        return False
    return True


def opendp(algorithm: str, case: Case, epsilon: float, tries: int = 2) -> tuple[str, pl.DataFrame | None]:
    """A synthetic table and its processor time; or why there is none."""
    columns = {name: case.data.frame[name].to_list() for name in case.keys}
    task = json.dumps({"columns": columns, "keys": case.keys, "epsilon": epsilon, "algorithm": algorithm})
    run = [PYTHON, HERE / "opendp_peer.py"]
    try:
        done = subprocess.run(run, input=task, capture_output=True, text=True, check=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"more than {duration(SECONDS)}", None
    except subprocess.CalledProcessError as problem:
        if tries > 1:
            return opendp(algorithm, case, epsilon, tries - 1)
        print(problem.stderr.strip().splitlines()[-3:])
        return "failed", None
    found = json.loads(done.stdout)
    # OpenDP counts cells that are no key, and noise gives them some records. They say as little as the root.
    roots = [pl.col(name).fill_null(column.domain.root) for name, column in case.data.quasi_identifiers.items()]
    return duration(found["seconds"]), pl.DataFrame(found["columns"]).with_columns(roots)


if __name__ == "__main__":
    main()
