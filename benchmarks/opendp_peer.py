"""OpenDP's synthetic tables, run in an environment of their own: columns as JSON in, tables and times as JSON out."""

from __future__ import annotations

import json
import sys
import time

import opendp.prelude as dp
import polars as pl
from opendp.extras.mbi import AIM, MST


def main() -> None:
    """Synthesise a table with one algorithm at one ε. The keys are the public values of each column."""
    dp.enable_features("contrib")
    given = json.load(sys.stdin)
    frame = pl.DataFrame(given["columns"])
    begun = time.process_time()
    context = dp.Context.compositor(
        data=frame.lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=given["epsilon"]),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=len(frame))],
    )
    algorithm = {"AIM": AIM, "MST": MST}[given["algorithm"]]()
    table = context.query().contingency_table(keys=given["keys"], algorithm=algorithm).release()
    made = table.synthesize()
    columns = {name: made[name].cast(pl.String).to_list() for name in frame.columns}
    json.dump({"columns": columns, "seconds": time.process_time() - begun}, sys.stdout)


if __name__ == "__main__":
    main()
