"""Rerun the papers' experiments: pages, results and pictures, as many at a time as there are cores.

    python experiments/run.py [EXPERIMENT ...] [--data FOLDER] [--quick] [--out FOLDER] [--processes N]

An experiment is a module beside this file with ``run(setting) -> Findings`` (see ``findings.py``); to add one, write
the module and name it in `EXPERIMENTS`. With all that they need they write into ``docs/experiments``. Without data,
Adult stands in for diabetes130 where an experiment needs it, and such pages go to ``build/experiments``.
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

from at_a_glance import PAGES, write_glance
from findings import DOCS, Setting, read_arguments, write

# The longest come first, so that no core waits for them in the end.
EXPERIMENTS = (
    "recoding_and_resampling",
    "microaggregation_variants",
    "beyond_the_papers",
    "noise_framework",
    "correlated_noise",
    "rank_swapping",
    "microaggregation",
    "resampling",
    "swapping_intervals",
    "clinical",
    "noise_levels",
    "semantic_linkage",
    "generalisation_yardstick",
    "centroid_strategies",
    "human_judgement",
    "built_hierarchies",
    "hierarchies_in_masking",
    "semantic_recoding",
    "hierarchy_quality",
)


# One after the other in one process: later ones use what earlier ones have measured.
TOGETHER = ("noise_framework", "correlated_noise", "rank_swapping")


def main() -> None:
    """Run those that are named, or all, as many at a time as there are cores."""
    parser = argparse.ArgumentParser(description="Rerun the papers' experiments.")
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=f"some of: {', '.join(EXPERIMENTS)}")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="at a time (default: all cores)")
    setting, given = read_arguments(parser)
    unknown = [name for name in given.experiments if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"{unknown[0]!r} is no experiment; choose from {', '.join(EXPERIMENTS)}")
    chosen = given.experiments or EXPERIMENTS
    groups = [[name for name in chosen if name in TOGETHER], *([name] for name in chosen if name not in TOGETHER)]
    begun = time.perf_counter()
    with ProcessPoolExecutor(max(1, given.processes), mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(run, group, setting, given.out) for group in groups if group]:
            print(done.result(), file=sys.stderr)
    folder = given.out or DOCS
    if setting.complete and all((folder / f"{name}.md").is_file() for name in PAGES):
        write_glance(folder)
    print(f"All in {time.perf_counter() - begun:.0f} s.", file=sys.stderr)


def run(names: Sequence[str], setting: Setting, out: Path | None) -> str:
    """Run some in this process, and tell how it went."""
    lines = []
    for name in names:
        begun = time.perf_counter()
        findings = import_module(name).run(setting)
        folder = write(name, findings, setting, out)
        told = [conclusion.verdict(place) for conclusion in findings.conclusions for place in conclusion.cases]
        held = f"{sum(verdict.startswith('found') for verdict in told)} of {len(told)} found, " if told else ""
        lines.append(f"{name}: {held}{time.perf_counter() - begun:.0f} s, written to {folder}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
