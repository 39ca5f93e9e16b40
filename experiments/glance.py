"""The page "At a glance": heat maps of all main claims, with the share of cases in which each holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from experiments.framework.claims import Verdict
from experiments.framework.pages import DOCS, beside, filled, markdown, verdicts_file

TABLES = ("as printed", "Adult, as the thesis", "Adult", "diabetes130", "ICD-9-CM", "MONDO", "ICD-9-CM and MONDO",
          "rare values", "WordNet")  # fmt: skip
# The colours of no case, half of the cases and all, as red, green and blue. Black text is readable on all of them.
NONE, HALF, ALL = (253, 174, 107), (247, 247, 247), (107, 174, 214)
# Cells are wider than the margins of the theme would leave them.
CELL = "display: block; margin: 0 -1em; padding: .3em .2em; text-align: center; white-space: nowrap; color: #000"


def page(experiments: Mapping[str, str], docs: Path = DOCS) -> str:
    """The page, from the verdicts of experiments, which are given with their packages: one map per package."""
    texts = beside(__file__)
    parts = [_map(docs, (name for name in experiments if experiments[name] == part)) for part in texts["titles"]]
    maps = "\n\n".join(
        f"## {title}\n\n{part}" for title, part in zip(texts["titles"].values(), parts, strict=True) if part
    )
    # The maps need the width of the page.
    return f"---\nhide: [navigation, toc]\n---\n\n# At a glance\n\n{filled(texts['about'], {})}\n\n{maps}\n"


def _map(docs: Path, names: Iterable[str]) -> str:
    """A row per claim, a column per table."""
    files = {name: file for name in names if (file := verdicts_file(docs, name)).is_file()}
    shown = {name: pl.read_csv(file).filter(pl.col("glance").str.len_chars() > 0) for name, file in files.items()}
    seen = dict.fromkeys(table for verdicts in shown.values() for table in verdicts["table"])
    tables = sorted(seen, key=lambda table: TABLES.index(table) if table in TABLES else len(TABLES))
    lines = []
    for name, verdicts in shown.items():
        for _, claim in verdicts.group_by("key", maintain_order=True):
            first = claim.row(0, named=True)
            cells = {row["table"]: _cell(row) for row in claim.iter_rows(named=True)}
            text = f"[{first['glance']}]({name}.md) <small>{first['source']}</small>"
            lines.append([text, *(cells.get(table, "") for table in tables)])
    head = ['<span style="display: inline-block; min-width: 20em">claim</span>', *tables]
    return markdown(head, lines, left=len(head)) if lines else ""


def _cell(row: Mapping[str, Any]) -> str:
    share = row["holds"] / row["cases"]
    end, part = (ALL, 2 * share - 1) if share > 0.5 else (NONE, 1 - 2 * share)
    colour = ", ".join(f"{half + part * (other - half):.0f}" for half, other in zip(HALF, end, strict=True))
    text = f"{row['holds']} of {row['cases']}" + (" ?" if row["verdict"] == Verdict.OPEN else "")
    return f'<span style="{CELL}; background: rgb({colour})" title="{row["verdict"]}">{text}</span>'


def write_glance(experiments: Mapping[str, str], docs: Path = DOCS) -> None:
    """Write the page beside the others."""
    (docs / "at_a_glance.md").write_text(page(experiments, docs), encoding="utf-8")
