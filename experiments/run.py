"""Rerun the publications' experiments: write their pages, results and pictures, in parallel.

    python -m experiments.run [EXPERIMENT ...] [--data FOLDER] [--quick] [--pages] [--out FOLDER] [--processes N]

An experiment is a module with an ``EXPERIMENT`` and its text in a TOML file (see ``experiments/framework/pages.py``).
To add one, write both and list it in `EXPERIMENTS`. With complete data, pages go to ``docs/experiments``. Without,
diabetes130 is left out, and pages go to ``build/experiments``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

from experiments.framework.measurements import Rows
from experiments.framework.pages import DOCS, Experiment, verdicts_file, write
from experiments.framework.settings import Setting
from experiments.glance import write_glance

# Each experiment with its package, in the order of the docs.
EXPERIMENTS = {
    "human_judgement": "ontologies",
    "noise_framework": "noise",
    "correlated_noise": "noise",
    "noise_levels": "noise",
    "rank_swapping": "swapping",
    "swapping_intervals": "swapping",
    "microaggregation": "grouping",
    "microaggregation_variants": "grouping",
    "resampling": "grouping",
    "recoding_and_resampling": "grouping",
    "centroid_strategies": "grouping",
    "generalisation_yardstick": "grouping",
    "semantic_recoding": "grouping",
    "hierarchy_quality": "ontologies",
    "built_hierarchies": "ontologies",
    "hierarchies_in_masking": "ontologies",
    "semantic_linkage": "grouping",
    "clinical": "grouping",
    "laplace_or_normal": "findings",
    "choice_of_distance": "findings",
    "frontier": "findings",
    "exact_mean": "findings",
    "informed_intruders": "findings",
    "whole_rows": "findings",
    "metric_privacy": "findings",
}


def main() -> None:
    """Run the named experiments, or all, in as many processes as there are cores."""
    parser = argparse.ArgumentParser(description="Rerun the publications' experiments.")
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=f"any of: {', '.join(EXPERIMENTS)}")
    parser.add_argument("--data", type=Path, help="file of diabetes130, or the folder that contains it and MONDO")
    parser.add_argument("--quick", action="store_true", help="few records and seeds, to test that everything runs")
    parser.add_argument("--pages", action="store_true", help="write pages from the results in the docs, do not measure")
    parser.add_argument("--out", type=Path, help="folder for the pages (default: the docs if the data are complete)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: cores")
    given = parser.parse_args()
    unknown = [name for name in given.experiments if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"There is no experiment {unknown[0]!r}. Choose from {', '.join(EXPERIMENTS)}.")
    setting = Setting(given.data, given.quick)
    begun = time.perf_counter()
    with ProcessPoolExecutor(max(1, given.processes), mp_context=get_context("spawn")) as pool:
        names = given.experiments or EXPERIMENTS
        for done in [pool.submit(run, name, setting, given.out, pages=given.pages) for name in names]:
            print(done.result(), file=sys.stderr)
    measured = all(verdicts_file(DOCS, name).is_file() for name in EXPERIMENTS if experiment(name).claims)
    if given.out is None and not given.quick and measured:
        write_glance(EXPERIMENTS)
    print(f"All in {time.perf_counter() - begun:.0f} s.", file=sys.stderr)


def experiment(name: str) -> Experiment:
    """The experiment of that name."""
    found: Experiment = import_module(f"experiments.{EXPERIMENTS[name]}.{name}").EXPERIMENT
    return found


def run(name: str, setting: Setting, out: Path | None, *, pages: bool) -> str:
    """Measure, or read what was measured for the docs, and write the page. Returns a summary."""
    begun = time.perf_counter()
    one = experiment(name)
    if pages:
        rows = Rows.read(DOCS / "results" / f"{name}.csv")
        folder = write(name, one, rows, setting, out or DOCS, complete=True)
    else:
        rows = Rows.of(one.measure(setting))
        folder = write(name, one, rows, setting, out)
    return f"{name}: {len(rows.frame):,} measurements, {time.perf_counter() - begun:.0f} s, written to {folder}"


if __name__ == "__main__":
    main()
