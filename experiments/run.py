"""Rerun the papers' experiments: pages, results and pictures, one after the other.

    python experiments/run.py [EXPERIMENT ...] [--data FOLDER] [--quick] [--out FOLDER]

An experiment is a module beside this file with ``run(setting) -> Findings`` (see ``findings.py``); to add one, write
the module and name it in `EXPERIMENTS`. With data they write into ``docs/experiments``; without, Adult stands in for
diabetes130 where an experiment needs it, and pages go to ``build/experiments``.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from findings import read_arguments, write

EXPERIMENTS = (
    "noise_framework",
    "correlated_noise",
    "rank_swapping",
    "microaggregation",
    "resampling",
    "semantic_linkage",
    "clinical",
    "noise_levels",
    "swapping_intervals",
    "microaggregation_variants",
    "recoding_and_resampling",
    "generalisation_yardstick",
    "centroid_strategies",
    "human_judgement",
    "built_hierarchies",
    "hierarchies_in_masking",
    "semantic_recoding",
    "hierarchy_quality",
    "beyond_the_papers",
)


def main() -> None:
    """Run those that are named, or all."""
    parser = argparse.ArgumentParser(description="Rerun the papers' experiments.")
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=f"some of: {', '.join(EXPERIMENTS)}")
    setting, folder, given = read_arguments(parser)
    unknown = [name for name in given.experiments if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"{unknown[0]!r} is no experiment; choose from {', '.join(EXPERIMENTS)}")
    for name in given.experiments or EXPERIMENTS:
        begun = time.perf_counter()
        findings = import_module(name).run(setting)
        write(name, findings, setting, folder)
        told = [conclusion.verdict(place) for conclusion in findings.conclusions for place in conclusion.cases]
        held = f"{sum(verdict.startswith('found') for verdict in told)} of {len(told)} found, " if told else ""
        print(f"{name}: {held}{time.perf_counter() - begun:.0f} s", file=sys.stderr)
    print(f"Written to {folder}.", file=sys.stderr)


if __name__ == "__main__":
    main()
