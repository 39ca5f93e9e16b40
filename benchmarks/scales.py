"""What numbers are divided by, ``sd``, ``iqr`` or ``range``: what each scale costs, by yardsticks that favour none.

Adult with all its columns is the file ``adult.data`` of UCI, in the folder that ONTOMASK_DATA names.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import polars as pl
from scipy.stats import spearmanr
from sources import NO_DIABETES130, data_file, diabetes130_file
from timing import Report

import ontomask as om
from ontomask.examples.adult import full_adult_data
from ontomask.kinds.scales import Scale

SCALES = get_args(Scale)
KS = (2, 5, 10, 20, 50)
ADULT = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
MEASURED = ("age", "capital-gain", "capital-loss", "hours-per-week")
# The squared errors that µ-ANT's own code measured, of its output and of ours.
UANT = {
    2: (1.69, 0.58, 0.20),
    5: (2.51, 1.26, 0.36),
    10: (2.94, 1.77, 0.50),
    20: (3.25, 2.35, 0.68),
    50: (3.52, 3.07, 0.91),
}


def adult_12(file: Any) -> pl.DataFrame:
    """The 30,162 complete records of Adult and the twelve columns that µ-ANT masks."""
    text = pl.read_csv(file, has_header=False, new_columns=list(ADULT), infer_schema=False)
    frame = text.select(pl.all().str.strip_chars()).filter(pl.all_horizontal(pl.all() != "?") & (pl.col("age") != ""))
    return frame.drop("fnlwgt", "education-num", "income").with_columns(
        pl.col(name).cast(pl.Int64) for name in MEASURED
    )


def incomes(records: int = 10_000) -> pl.DataFrame:
    """Income and wealth with long tails, which go with age, hours and education."""
    rng = np.random.default_rng(0)
    age, level = rng.integers(18, 80, records), rng.integers(0, 6, records)
    hours = np.clip(rng.normal(38, 9, records), 0, 90).round()
    income = rng.lognormal(9.6 + 0.2 * level + 0.01 * age, 0.7).round(-1)
    wealth = np.where(rng.random(records) < 0.3, 0, income * rng.pareto(1.5, records) * age / 40).round(-2)
    parts = {"age": age, "hours": hours, "income": income, "wealth": wealth}
    columns = {name: cells.astype(np.int64) for name, cells in parts.items()}
    return pl.DataFrame(columns | {"education": [f"level {i}" for i in level.tolist()]})


def tables() -> dict[str, pl.DataFrame]:
    """The tables by name. Columns of integers are numbers, all others are categories."""
    adult = full_adult_data().frame.drop("salary-class")
    found = {"Adult, 8 columns": adult, "incomes, generated": incomes()}
    if file := data_file("adult.data"):
        found["Adult, 12 columns"] = adult_12(file)
    if file := diabetes130_file():
        numbers = ("time_in_hospital", "num_procedures", "num_medications", "number_diagnoses")
        every = pl.read_csv(file, infer_schema=False).gather_every(4)
        found["diabetes130, every 4th record"] = every.select(
            "age", "gender", *(pl.col(n).cast(pl.Int64) for n in numbers)
        )
    return found


def described(frame: pl.DataFrame, scale: str) -> om.Microdata:
    """The table with numbers of a scale, and categories."""
    is_number = {name: dtype.is_integer() for name, dtype in frame.schema.items()}
    kinds = {name: om.Numeric(scale=scale) if is_number[name] else om.Category() for name in frame.columns}
    return om.Microdata(frame, kinds)


def errors(frame: pl.DataFrame, masked: pl.DataFrame) -> dict[str, tuple[float, float | None]]:
    """By column: the mean squared error in variances with the rank correlation, or the share of cells that changed."""
    found: dict[str, tuple[float, float | None]] = {}
    for name, dtype in frame.schema.items():
        before, after = frame[name].to_numpy(), masked[name].to_numpy()
        if dtype.is_integer():
            found[name] = float(np.mean((before - after) ** 2) / before.var()), float(spearmanr(before, after)[0])
        else:
            found[name] = float(np.mean(before != after)), None
    return found


def main() -> None:
    """Measure and print."""
    report = Report("scales", "The scale of numbers")
    report.text(
        "Microaggregation at k = 5. *Error*: mean squared error of a number in variances of its column, or the share "
        "of changed cells of a category; the mean over numbers, over categories, and over all columns. *Rank*: the "
        "least "
        "rank correlation (Spearman) of a number before and after masking. L is measured under each scale."
    )
    sources, rows, columns = tables(), [], []
    for title, frame in sources.items():
        data = {scale: described(frame, scale) for scale in SCALES}
        for scale in SCALES:
            masked = om.Microaggregation(5).mask(data[scale], seed=0).frame
            found = errors(frame, masked)
            numbers = [error for error, rank in found.values() if rank is not None]
            others = [error for error, rank in found.values() if rank is None]
            ranks = [rank for _, rank in found.values() if rank is not None]
            loss = [f"{om.evaluate(data[by], masked).loss_percent:.2f}" for by in SCALES]
            mean = [f"{np.mean(part):.3f}" if part else "" for part in (numbers, others, numbers + others)]
            rows.append([title, scale, *mean, f"{min(ranks):.2f}", *loss])
            for name, (error, rank) in found.items():
                if rank is not None:
                    width = data[scale].quasi_identifiers[name].space.largest
                    columns.append([title, name, scale, f"{width:.2f}", f"{np.sqrt(error):.3f}", f"{rank:.3f}"])
    heads = ["table", "scale", "error of numbers", "of categories", "of all", "rank"]
    report.table([*heads, *(f"L by {scale}" for scale in SCALES)], rows)
    report.text("Each number: its largest distance, root mean squared error in standard deviations, rank correlation.")
    report.table(["table", "column", "scale", "largest", "RMSE / sd", "rank"], sorted(columns, key=lambda row: row[:2]))
    if "Adult, 12 columns" in sources:
        against_uant(report, sources["Adult, 12 columns"])
    if diabetes130_file() is None:
        report.text(NO_DIABETES130)
    report.close()


def against_uant(report: Report, frame: pl.DataFrame) -> None:
    """The squared error per record, as µ-ANT measures it: numbers in standard deviations, categories 0 or 1."""
    report.text(
        "Adult, 12 columns: squared error per record, the sum over columns, numbers in standard deviations, categories "
        "0 or 1. µ-ANT's code measured the columns *by µ-ANT* in November 2026: its own output, ours with `range`, and "
        "ours with numbers divided by one standard deviation."
    )
    rows = []
    for k, (theirs, by_range, by_sd) in UANT.items():
        sums = []
        for scale in SCALES:
            masked = om.Microaggregation(k).mask(described(frame, scale), seed=0).frame
            sums.append(f"{sum(error for error, _ in errors(frame, masked).values()):.2f}")
        rows.append([f"{k}", f"{theirs}", f"{by_range}", f"{by_sd}", *sums])
    by = ("µ-ANT, by µ-ANT", "ours, range, by µ-ANT", "ours, sd, by µ-ANT")
    report.table(["k", *by, *(f"ours, {scale}" for scale in SCALES)], rows)


if __name__ == "__main__":
    main()
