"""Kept cells that fewer than k records share, record by record. A kept cell is ``None``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["patterns_after_rooting", "rare_rows"]

Row = Sequence[str | None]


def rare_rows(rows: Sequence[Row], k: int) -> list[int]:
    """The records that keep the same cells as fewer than k records."""
    patterns = [tuple(cell is None for cell in row) for row in rows]
    often = Counter(patterns)
    return [i for i, pattern in enumerate(patterns) if often[pattern] < k]


def patterns_after_rooting(rows: Sequence[Row], k: int) -> list[list[bool]]:
    """Which cells of each record are still kept after rare ones became the root."""
    kept = [[cell is None for cell in row] for row in rows]
    shared = [sum(row[j] is None for row in rows) for j in range(len(rows[0]))]
    while True:
        often = Counter(map(tuple, kept))
        rare = [i for i, row in enumerate(kept) if often[tuple(row)] < k]
        if not rare:
            return kept
        rare = [i for i in rare if any(kept[i])]
        if not rare:
            least = min(n for pattern, n in often.items() if any(pattern))
            # Of equally rare patterns, that of the first tuple in the order of the table.
            first = min(
                (i for i, row in enumerate(kept) if any(row) and often[tuple(row)] == least),
                key=lambda i: [(cell is None, cell or "") for cell in rows[i]],
            )
            rare = [i for i, row in enumerate(kept) if row == kept[first]]
        for i in rare:
            column = min((j for j in range(len(shared)) if kept[i][j]), key=lambda j: (shared[j], j))
            kept[i][column] = False
