"""Jobs over a CSV file of a million records, run as a user runs them: time and peak memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import Bar, Report, duration, in_new_process, megabytes, times

RECORDS = 1_000_000
MOST_MEMORY = 1e9
# Nearly all records are different for rank swapping, which compares each with others.
MOST_SECONDS = {"RankSwapping(5)": 20}
OTHER_SECONDS = 60
A_FEW = 2_000
JOB = """
input.path = "data.csv"
[columns]
person = {{ role = "identifier" }}
diagnosis = {{ role = "quasi-identifier", kind = "nominal", taxonomy = "icd9cm" }}
occupation = {{ role = "quasi-identifier", kind = "nominal", taxonomy = "wordnet", domain = "person" }}
age = {{ role = "quasi-identifier", kind = "numeric" }}
cost = {{ role = "confidential" }}
note = {{ role = "other" }}
[output]
masked = "masked.csv"
overwrite = true
{report}
[method]
{method}
"""
WORDS = [
    "carpenter",
    "nurse",
    "farmer",
    "clerk",
    "soldier",
    "teacher",
    "baker",
    "lawyer",
    "engineer",
    "driver",
    "cook",
    "mechanic",
    "painter",
    "waiter",
    "tailor",
    "physician",
    "plumber",
    "gardener",
    "butcher",
    "librarian",
]
# The method's settings, and whether it masks numbers.
METHODS = {
    "Generalisation(5)": ('name = "Generalisation"\nk = 5', False),
    "Suppression(5)": ('name = "Suppression"\nk = 5', True),
    "Recoding(5)": ('name = "Recoding"\nk = 5', True),
    "Microaggregation(5)": ('name = "Microaggregation"\nk = 5', True),
    "UncorrelatedNoise(0.3)": ('name = "UncorrelatedNoise"\nalpha = 0.3', False),
    "PRAM()": ('name = "PRAM"', True),
    "RankSwapping(5)": ('name = "RankSwapping"\nk = 5', True),
}
WITH_REPORT = ("Microaggregation(5)", "PRAM()")


def write_table(path: Path, records: int) -> None:
    """A table with a few common and many rare values, as in real data."""
    import numpy as np
    import polars as pl

    import ontomask as om

    rng = np.random.default_rng(0)
    codes = [code for code in om.load_icd9cm().ids if code.replace(".", "").isdigit()][:900]
    frequency = 1 / np.arange(1, len(codes) + 1)
    frame = pl.DataFrame(
        {
            "person": [f"P{i:07}" for i in range(records)],
            "diagnosis": rng.choice(codes, records, p=frequency / frequency.sum()),
            "occupation": rng.choice(WORDS, records),
            "age": rng.integers(18, 95, records),
            "cost": rng.integers(100, 100_000, records),
            "note": rng.choice(["none", "follow up", "transferred from another ward"], records),
        }
    )
    frame.write_csv(path)


def run_job(folder: str) -> dict[str, float]:
    """Run the command in a new process; returns wall time, processor time and peak memory."""
    import resource

    begun = time.perf_counter()
    job, seed = str(Path(folder) / "job.toml"), str(2**64 + 1)
    command = [sys.executable, "-m", "ontomask", "mask", job, "--seed", seed, "--quiet"]
    subprocess.run(command, check=True)
    # Kilobytes; bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = used.ru_utime + used.ru_stime
    return {"seconds": time.perf_counter() - begun, "busy": busy, "memory": used.ru_maxrss * unit}


def main() -> None:
    """Measure and print."""
    report = Report("jobs", "Jobs over a million records")
    with tempfile.TemporaryDirectory() as name:
        folder, few = Path(name), Path(name) / "few"
        few.mkdir()
        write_table(folder / "data.csv", RECORDS)
        write_table(few / "data.csv", A_FEW)
        size = (folder / "data.csv").stat().st_size
        report.text(
            f"`ontomask mask job.toml` over a CSV file of {RECORDS:,} records and 6 columns ({megabytes(size)}): read, "
            f"map diagnoses to ICD-9-CM and occupations to WordNet, mask them (and ages, if the method masks numbers), "
            f"verify, write; with a report also every measure of loss and risk. Measured are processor time (the clock "
            f"also counts waiting for other work) and peak memory of the process. A run on {A_FEW:,} records has "
            f"compiled the kernels before."
        )
        rows = []
        for title, (method, numbers) in METHODS.items():
            rows += _measured(folder, title, "masked table", _job(method, numbers))
            if title in WITH_REPORT:
                text = _job(method, numbers, report='report = "report.html"')
                rows += _measured(folder, title, "table and report", text)
        report.table(["method", "output", "on the clock", "measured", "bar", ""], rows)
        report.text(_growth(folder))
    report.close()


def _job(method: str, numbers: bool, report: str = "") -> str:
    text = JOB.format(method=method, report=report)
    masked, kept = 'age = { role = "quasi-identifier", kind = "numeric" }', 'age = { role = "other" }'
    return text if numbers else text.replace(masked, kept)


def _measured(folder: Path, title: str, what: str, job: str) -> list[list[str]]:
    for part in (folder / "few", folder):
        (part / "job.toml").write_text(job)
        found, _ = in_new_process(run_job, str(part))
    busy, memory = found["busy"], found["memory"]
    verdict = Bar(MOST_SECONDS.get(title, OTHER_SECONDS), duration).cells(busy)
    return [
        [title, what, duration(found["seconds"]), duration(busy), *verdict],
        [title, f"{what}: memory", "", megabytes(memory), *Bar(MOST_MEMORY, megabytes).cells(memory)],
    ]


def _growth(folder: Path) -> str:
    """How the memory of a job grows with its records."""
    (folder / "job.toml").write_text(_job(METHODS["PRAM()"][0], numbers=True))
    whole, _ = in_new_process(run_job, str(folder))
    write_table(folder / "data.csv", RECORDS // 10)
    tenth, _ = in_new_process(run_job, str(folder))
    a_record = (whole["memory"] - tenth["memory"]) / (RECORDS - RECORDS // 10)
    return (
        f"PRAM on a tenth of the records takes {megabytes(tenth['memory'])}, on all {megabytes(whole['memory'])} "
        f"({times(whole['memory'] / tenth['memory'])}): {a_record:,.0f} bytes per record, and the rest for "
        "ontologies and libraries."
    )


if __name__ == "__main__":
    main()
