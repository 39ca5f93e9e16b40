"""Measure ontomask and compare it with other packages, in an environment of their own.

    python benchmarks/run.py [TABLE ...] [--data FOLDER] [--wordnet FOLDER]

A table is a module beside this file with a ``main()`` that prints it and writes it into ``results/``. To add one,
write the module and name it in `TABLES`; a peer it needs goes into ``peers.txt``.

This script uses only the standard library, so any Python of the right version can start it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

TABLES = (
    "loading",
    "vocabularies",
    "fhir",
    "distances",
    "operators",
    "microdata",
    "hierarchies",
    "noise",
    "metric_privacy",
    "synthetic_records",
    "generalisation",
    "levels_and_cells",
    "local_generalisation",
    "recoding",
    "microaggregation",
    "prefer",
    "wide_tables",
    "peers",
    "scales",
    "swapping",
    "evaluation",
    "attacks",
    "leaks",
    "jobs",
    "engines",
    "first_use",
    "reconciliation",
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ENVIRONMENT = ROOT / ".venv-bench"
PEERS = HERE / "peers.txt"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
# With several threads, times depend on other work on the machine. These are the pools of Numba, BLAS and Rust peers.
ONE_THREAD = dict.fromkeys(
    ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)


def main() -> None:
    """Read the command line, install what is missing and run the tables one after the other."""
    parser = argparse.ArgumentParser(description="Measure ontomask and its peers.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"some of: {', '.join(TABLES)} (default: all)")
    parser.add_argument(
        "--data", type=Path, help="folder with mondo.obo.gz; by default the environment variable ONTOMASK_DATA"
    )
    parser.add_argument("--wordnet", type=Path, default="/usr/share/wordnet", help="WNdb folder (default: %(default)s)")
    given = parser.parse_args()
    unknown = [name for name in given.tables if name not in TABLES]
    if unknown:
        parser.error(f"{unknown[0]!r} is not a table; choose from {', '.join(TABLES)}")
    install()
    environment = {**os.environ, **ONE_THREAD, "ONTOMASK_WORDNET": str(given.wordnet)}
    # Users have compiled bytecode; without it, importing would be measured slower than it is for them.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if given.data is not None:
        environment["ONTOMASK_DATA"] = str(given.data)
    failed = [
        name
        for name in given.tables or TABLES
        if subprocess.run([PYTHON, HERE / f"{name}.py"], env=environment, check=False).returncode
    ]
    sys.exit(f"did not finish: {', '.join(failed)}" if failed else 0)


def install() -> None:
    """Make the environment, unless it exists and is newer than the files that define it."""
    stamp = ENVIRONMENT / ".installed"
    sources = (ROOT / "pyproject.toml", PEERS)
    if stamp.exists() and stamp.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return
    print(f"Installing ontomask and its peers into {ENVIRONMENT.name} ...", flush=True)
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    if not _pip("install", "--editable", f"{ROOT}[all,bench]"):
        sys.exit("ontomask could not be installed; see the output above.")
    for line in PEERS.read_text().splitlines():
        if line and not line.startswith("#") and not _pip("install", line):
            print(f"{line} could not be installed; the tables are made without it.", flush=True)
    stamp.touch()


def _pip(*arguments: str) -> bool:
    command = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    main()
