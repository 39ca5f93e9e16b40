"""Tables: time from ten million records to distinct tuples, a plan, and released records."""

from __future__ import annotations

import time

from timing import NO_BAR, Bar, Report, duration, in_new_process, megabytes, peak_memory, times

ROWS, TUPLES, COLUMNS = 10_000_000, 20_000, 3


def ten_million() -> dict[str, float]:
    """Times in seconds and sizes in bytes of the steps, on records drawn from 20,000 triples of ICD-9 codes."""
    import numpy as np
    import polars as pl

    import ontomask as om
    from ontomask.microdata.frequency import FrequencyTable
    from ontomask.microdata.plan import TuplePlan

    icd9 = om.load_icd9cm()
    rng = np.random.default_rng(0)
    codes = rng.choice(np.flatnonzero(np.diff(icd9.graph.child_start) == 0), (TUPLES, COLUMNS))
    triples = np.array(icd9.ids, dtype=object)[codes]
    drawn = np.concatenate([np.arange(TUPLES), rng.integers(0, TUPLES, ROWS - TUPLES)])
    frame = pl.DataFrame({f"d{j}": pl.Series(triples[:, j]).cast(pl.Categorical)[drawn] for j in range(COLUMNS)})
    found: dict[str, float] = {}

    start = time.perf_counter()
    data = om.Microdata(frame, {name: om.Nominal(icd9) for name in frame.columns})
    found["encoding the frame"] = time.perf_counter() - start
    columns = tuple(data.quasi_identifiers.values())
    found["encoded"] = sum(column.code.nbytes for column in columns)

    held = peak_memory(since_now=True) or 0
    start = time.perf_counter()
    table = data.table
    found["frequency table"] = time.perf_counter() - start
    assert isinstance(table, FrequencyTable)
    assert len(table) == TUPLES
    half = table.counts // 2
    plan = TuplePlan.of(
        table,
        start=np.arange(0, 2 * len(table) + 1, 2),
        outcome=np.stack([np.arange(len(table)), np.roll(np.arange(len(table)), 1)], axis=1).ravel(),
        records=np.stack([half, table.counts - half], axis=1).ravel(),
        outcome_tuples=table.tuples,
    )
    start = time.perf_counter()
    masked = plan.apply(data, rng)
    found["plan with two outcomes a tuple applied"] = time.perf_counter() - start
    found["memory"] = (peak_memory() or 0) - held
    start = time.perf_counter()
    data.release(masked.cells, masked.codes)
    found["released as a frame"] = time.perf_counter() - start
    return found


def main() -> None:
    """Measure and print."""
    report = Report("microdata", "Microdata")
    report.text(
        f"{ROWS:,} records, {COLUMNS} columns of ICD-9 codes, {TUPLES:,} distinct tuples, in a polars frame. Memory is "
        f"what is added at the peak while the frequency table is made and a plan is applied that sends the records of "
        f"every tuple to two outcomes at random. It is compared with the size of the encoded columns."
    )
    found, _ = in_new_process(ten_million)
    encoded = found.pop("encoded")
    memory = found.pop("memory")
    rows = [[step, duration(seconds), *Bar(10, duration).cells(seconds)] for step, seconds in found.items()]
    rows.append(["the encoded columns", megabytes(encoded), *NO_BAR])
    ratio = memory / encoded
    rows.append(
        [f"memory at most ({times(ratio)} the encoded columns)", megabytes(memory), *Bar(4, times).cells(ratio)]
    )
    report.table(["step", "measured", "bar", ""], rows)
    report.close()


if __name__ == "__main__":
    main()
