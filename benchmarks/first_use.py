"""What starting costs: importing the package, each command, and the first distance in a process.

The functions that run in a new process import nothing above, so that importing can be timed.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time

__all__ = ["first_use", "import_package", "run_command"]

# Seconds that importing may take once numpy is there.
IMPORT_LIMIT = 0.15
TRIES = 5
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
    return {"seconds": time.perf_counter() - start, "compiler": "numba" in sys.modules}


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
    report.close()


if __name__ == "__main__":
    main()
