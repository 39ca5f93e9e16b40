"""OpenDP's synthetic tables, run in an environment of their own: columns as JSON in, tables and times as JSON out."""

from __future__ import annotations

import json
import sys
import time

import opendp.prelude as dp
import polars as pl
from opendp.extras.mbi import AIM, MST


def main() -> None:
    """Synthesise the table with both algorithms at each ε."""
    dp.enable_features("contrib")
    frame = pl.DataFrame(json.load(sys.stdin))
    # Their categories are public, as in our domains; here those that occur, which favours them.
    keys = {name: sorted(frame[name].unique().to_list()) for name in frame.columns}
    found = {}
    for epsilon in (1.0, 4.0):
        for name, algorithm in (("aim", AIM()), ("mst", MST())):
            begun = time.perf_counter()
            context = dp.Context.compositor(
                data=frame.lazy(),
                privacy_unit=dp.unit_of(contributions=1),
                privacy_loss=dp.loss_of(epsilon=epsilon),
                split_evenly_over=1,
                margins=[dp.polars.Margin(max_length=len(frame))],
            )
            table = context.query().contingency_table(keys=keys, algorithm=algorithm).release()
            made = table.synthesize()
            columns = {column: made[column].cast(pl.String).to_list() for column in frame.columns}
            found[f"{name} {epsilon:g}"] = {"table": columns, "seconds": time.perf_counter() - begun}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
