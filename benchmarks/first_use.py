"""What starting costs: importing the package, each command, the first distance, and compiling kernels once.

The functions that run in a new process import nothing above, so that importing can be timed.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timing import Report

__all__ = ["first_use", "import_package", "mask_adult", "run_command"]

# Seconds that importing may take once numpy is there.
IMPORT_LIMIT = 0.15
TRIES = 5
# Seconds of processor time that compiling may take at the first use on a machine.
COMPILE_LIMIT = 10.0
METHODS = (
    "Microaggregation(5)",
    "Microaggregation(5, variant='sa_mdav')",
    "Recoding(5)",
    "Generalisation(5)",
    "Generalisation(5, mode='full_domain')",
    "Suppression(5, mode='cells')",
    "RankSwapping(5)",
    "CorrelatedNoise(0.3)",
    "PRAM(0.8)",
)
JOB = """
input.path = "patients.csv"
output = { masked = "masked.csv" }
method = { name = "PRAM", stay = 0.8 }
[columns]
patient_id = { role = "identifier" }
age = { role = "quasi-identifier", kind = "numeric" }
occupation = { role = "quasi-identifier", kind = "nominal", taxonomy = "wordnet", domain = "person" }
diagnosis = { role = "quasi-identifier", kind = "nominal", taxonomy = "icd9cm" }
ward = { role = "quasi-identifier", kind = "ordinal", categories = ["north", "south"] }
outcome = { role = "confidential" }
"""
# Each command, and whether it may load the compiler. Distances and masking are compiled; the rest is not.
COMMANDS = (
    ("--help", False),
    ("ontology info wordnet", False),
    ("ontology find wordnet midwife", False),
    ("init patients.csv --out first.toml", False),
    ("map job.toml", False),
    ("ontology distance icd9cm 250.00 250.83 --measure wu_palmer", True),
    ("mask job.toml --force", True),
)


def import_package(names: bool = False) -> float:
    """Seconds that importing the package takes, beyond the import of NumPy; ``names``: with every public name."""
    import numpy  # noqa: F401

    start = time.perf_counter()
    import ontomask as om

    if names:
        for name in om.__all__:
            getattr(om, name)
    return time.perf_counter() - start


def first_use(measure: str) -> dict[str, float]:
    """Seconds of the first row and then the first matrix of a measure. The kernels are loaded or compiled."""
    import ontomask as om

    distance = om.distance(measure, om.load_wordnet())
    start = time.perf_counter()
    distance.row(0)
    after_row = time.perf_counter()
    distance.matrix(range(10))
    return {"row": after_row - start, "matrix": time.perf_counter() - after_row}


def mask_adult(method: str) -> float:
    """Processor time of masking and evaluating the Adult census."""
    import ontomask as om
    from ontomask.examples import adult_data

    start = time.process_time()
    data = adult_data()
    om.evaluate(data, eval(method, vars(om) | {name: getattr(om, name) for name in om.__all__}).mask(data, seed=0))
    return time.process_time() - start


def run_command(command: str, folder: str) -> dict[str, float | bool]:
    """Run a command in a folder; returns its seconds and whether it loaded the compiler."""
    os.chdir(folder)
    sys.argv = ["ontomask", *command.split()]
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
        from ontomask.cli import main as run

        try:
            run()
            status: object = 0
        except SystemExit as end:
            status = end.code
    if status not in (None, 0):
        raise RuntimeError(f"ontomask {command} ended with {status}: {errors.getvalue()}")
    seconds = {"seconds": time.perf_counter() - start, "processor": time.process_time()}
    return {**seconds, "compiler": "numba" in sys.modules}


def first_on_machine(report: Report) -> None:
    """Processor time with an empty cache of compiled kernels, and with a full one."""
    import tempfile

    from timing import Bar, duration, in_new_process

    report.text(
        "## First use on a machine",
        "Processor time of one core, in a new process: with an empty cache of kernels, and again with a full one. The "
        "difference is what compiling takes. Methods mask and evaluate two columns of the Adult census.",
    )
    rows = []
    for what in ("ontomask demo", *METHODS):
        with tempfile.TemporaryDirectory() as folder:
            taken = []
            for _ in range(2):
                if what == "ontomask demo":
                    found = in_new_process(run_command, "demo --force", folder, NUMBA_CACHE_DIR=folder)[0]["processor"]
                else:
                    found = in_new_process(mask_adult, what, NUMBA_CACHE_DIR=folder)[0]
                taken.append(found)
        compiling = taken[0] - taken[1]
        cells = Bar(COMPILE_LIMIT, duration).cells(compiling)
        rows.append([f"`{what}`", *map(duration, (*taken, compiling)), *cells])
    report.table(("what", "empty cache", "full cache", "compiling", "bar", "verdict"), rows)


def main() -> None:
    """Print the tables."""
    import shutil
    import tempfile
    from pathlib import Path

    from timing import NO_BAR, Bar, Report, duration, in_new_process

    report = Report("first_use", "Starting")
    report.text(f"Best of {TRIES}, each in a new process.", "## Importing, once numpy is imported")
    rows = []
    for title, names, bar in (
        ("import ontomask", False, Bar(IMPORT_LIMIT, duration)),
        ("every public name", True, None),
    ):
        seconds = min(in_new_process(import_package, names)[0] for _ in range(TRIES))
        rows.append([title, "", duration(seconds), *(bar.cells(seconds) if bar else NO_BAR)])
    report.table(("what", "", "time", "bar", "verdict"), rows)

    report.text("## Commands", "Commands without distances or masking must not load the compiler (Numba).")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(Path(__file__).parents[1] / "docs" / "files" / "patients.csv", folder)
        (Path(folder) / "job.toml").write_text(JOB, encoding="utf-8")
        for command, compiles in COMMANDS:
            found = []
            for _ in range(TRIES):
                (Path(folder) / "first.toml").unlink(missing_ok=True)
                found.append(in_new_process(run_command, command, folder)[0])
            loads = found[0]["compiler"]
            verdict = NO_BAR if compiles else ("no", "MISSED" if loads else "ok")
            time_taken = duration(min(one["seconds"] for one in found))
            rows.append([f"`ontomask {command}`", time_taken, "yes" if loads else "no", *verdict])
    report.table(("command", "time", "loads the compiler", "bar", "verdict"), rows)
    first_on_machine(report)
    report.close()


if __name__ == "__main__":
    main()
