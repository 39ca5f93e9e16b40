"""Other Python packages on one table; run in an environment of their own.

    python python_peers.py PACKAGE TABLE.csv HIERARCHIES OUT.csv K

PACKAGE is anjana, anonypy or crowds. HIERARCHIES is a folder with ARX files named ``adult_hierarchy_COLUMN.csv``. The
table has a column ``id``, which the released table keeps. Prints JSON: seconds of processor time, and the version.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

# The share of records that may be left out, in percent.
LEFT_OUT = 5


def levels_of(folder: str, column: str) -> list[list[str]]:
    """The rows of a hierarchy: a value, then its label at each level."""
    lines = Path(folder, f"adult_hierarchy_{column}.csv").read_text(encoding="utf-8").splitlines()
    return [line.split(";") for line in lines if line]


def anjana(frame, names, folder, k):
    """Full-domain generalisation, the column with the most values first, and records left out."""
    from anjana.anonymity import k_anonymity

    hierarchies = {}
    for name in names:
        rows = levels_of(folder, name)
        hierarchies[name] = {level: [row[level] for row in rows] for level in range(len(rows[0]))}
    return k_anonymity(frame, [], names, k, LEFT_OUT, hierarchies)


def anonypy(frame, names, folder, k):  # noqa: ARG001
    """Mondrian, with ages as numbers. The identifier is its confidential column, so that every record is listed."""
    import pandas as pd
    from anonypy import Preserver

    frame = frame.assign(age=frame["age"].astype(int))
    for name in names:
        if name != "age":
            frame[name] = frame[name].astype("category")
    return pd.DataFrame(Preserver(frame, names, "id").anonymize_k_anonymity(k=k)).drop(columns="count")


def crowds(frame, names, folder, k):
    """OLA: the whole lattice of levels."""
    from crowds.kanonymity.generalizations import GenRule
    from crowds.kanonymity.ola import anonymize

    rules = {}
    for name in names:
        rows = levels_of(folder, name)
        tables = [{row[0]: row[level] for row in rows} for level in range(1, len(rows[0]) - 1)]
        rules[name] = GenRule([table.get for table in tables])
    released, _ = anonymize(frame, rules, k=k, max_sup=LEFT_OUT)
    return released.fillna("*")


def main(package: str, table: str, folder: str, out: str, k: str) -> None:
    """Mask, write and print."""
    import pandas as pd

    warnings.simplefilter("ignore")
    frame = pd.read_csv(table, dtype=str, keep_default_na=False)
    names = [name for name in frame.columns if name != "id"]
    begun = time.process_time()
    released = {"anjana": anjana, "anonypy": anonypy, "crowds": crowds}[package](frame, names, folder, int(k))
    seconds = time.process_time() - begun
    released.to_csv(out, index=False)
    print(json.dumps({"seconds": seconds, "version": version(package)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
