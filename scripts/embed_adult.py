"""Rebuild the embedded Adult census from ARX's copy of the complete records.

    python scripts/embed_adult.py adult.csv

Writes ``src/ontomask/examples/adult.csv.gz``: the same rows and columns, comma-separated.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "ontomask" / "examples" / "adult.csv.gz"
RECORDS = 30_162


def main() -> None:
    """Convert the file and check its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="adult.csv, semicolon-separated, with a header")
    with parser.parse_args().file.open(encoding="utf-8", newline="") as source:
        rows = list(csv.reader(source, delimiter=";"))
    if len(rows) != RECORDS + 1 or any(len(row) != len(rows[0]) for row in rows):
        raise SystemExit(f"expected {RECORDS:,} complete records, got {len(rows) - 1:,}")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    # No time stamp: equal input gives an equal file.
    TARGET.write_bytes(gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0))
    print(f"{TARGET.name}: {RECORDS:,} records, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
