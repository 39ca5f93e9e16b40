"""Rerun the publications' experiments: write their pages, results and pictures, in parallel.

    python -m experiments.run [EXPERIMENT ...] [--data FOLDER] [--quick] [--out FOLDER] [--processes N]

An experiment is a module with ``run(setting) -> Findings`` (see ``experiments/shared/findings.py``). To add one, write
the module and list it in `EXPERIMENTS`. With complete data, pages go to ``docs/experiments``. Without, Adult replaces
diabetes130 where an experiment needs it, and pages go to ``build/experiments``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

from experiments.at_a_glance import PAGES, write_glance
from experiments.shared.findings import DOCS, Findings, Setting, conclusions_file, read_arguments, write

# Each experiment with its package. The longest come first, so that no core waits for them at the end.
EXPERIMENTS = {
    "recoding_and_resampling": "grouping",
    "microaggregation_variants": "grouping",
    "beyond_the_papers": "beyond",
    "noise_framework": "noise",
    "correlated_noise": "noise",
    "rank_swapping": "swapping",
    "microaggregation": "grouping",
    "resampling": "grouping",
    "swapping_intervals": "swapping",
    "clinical": "grouping",
    "metric_privacy": "beyond",
    "noise_levels": "noise",
    "semantic_linkage": "grouping",
    "generalisation_yardstick": "grouping",
    "centroid_strategies": "grouping",
    "human_judgement": "ontologies",
    "built_hierarchies": "ontologies",
    "hierarchies_in_masking": "ontologies",
    "semantic_recoding": "grouping",
    "hierarchy_quality": "ontologies",
}

# Run one after the other in one process: later ones use the measurements of earlier ones.
TOGETHER = ("noise_framework", "correlated_noise", "rank_swapping")


def main() -> None:
    """Run the named experiments, or all, in as many processes as there are cores."""
    parser = argparse.ArgumentParser(description="Rerun the publications' experiments.")
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=f"any of: {', '.join(EXPERIMENTS)}")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="number of processes (default: cores)"
    )
    setting, given = read_arguments(parser)
    unknown = [name for name in given.experiments if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"There is no experiment {unknown[0]!r}. Choose from {', '.join(EXPERIMENTS)}.")
    chosen = given.experiments or EXPERIMENTS
    groups = [[name for name in chosen if name in TOGETHER], *([name] for name in chosen if name not in TOGETHER)]
    begun = time.perf_counter()
    with ProcessPoolExecutor(max(1, given.processes), mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(run_group, group, setting, given.out) for group in groups if group]:
            print(done.result(), file=sys.stderr)
    folder = given.out or DOCS
    if setting.complete and all(conclusions_file(folder, name).is_file() for name in PAGES):
        write_glance(folder)
    print(f"All in {time.perf_counter() - begun:.0f} s.", file=sys.stderr)


def run_experiment(name: str, setting: Setting) -> Findings:
    """Run one experiment."""
    findings: Findings = import_module(f"experiments.{EXPERIMENTS[name]}.{name}").run(setting)
    return findings


def run_group(names: Sequence[str], setting: Setting, out: Path | None) -> str:
    """Run and write experiments in this process. Returns a summary."""
    lines = []
    for name in names:
        begun = time.perf_counter()
        findings = run_experiment(name, setting)
        folder = write(name, findings, setting, out)
        found = [all(cases) for conclusion in findings.conclusions for cases in conclusion.cases.values() if cases]
        held = f"{sum(found)} of {len(found)} found, " if found else ""
        lines.append(f"{name}: {held}{time.perf_counter() - begun:.0f} s, written to {folder}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
