"""The page "At a glance": a heat map of all main claims, with the share of cases in which each holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from experiments.framework.claims import Verdict
from experiments.framework.pages import DOCS, beside, filled, markdown, verdicts_file

TABLES = ("as printed", "Adult, as the thesis", "Adult", "diabetes130", "ICD-9-CM", "MONDO", "ICD-9-CM and MONDO",
          "rare values", "WordNet")  # fmt: skip
# The page has no room for a column for each set of ratings, so they are above each other.
RATINGS = {"Miller–Charles": "WordNet", "Rubenstein–Goodenough": "WordNet"}
# Black text is readable on all of them.
COLOURS = {Verdict.FOUND: "#6baed6", Verdict.MOSTLY: "#c6dbef", Verdict.HALF: "#d9d9d9",
           Verdict.NOT_FOUND: "#fdae6b"}  # fmt: skip
# Cells are wider than the margins of the theme would leave them.
CELL = "display: block; margin: 0 -1em; padding: .3em .2em; text-align: center; white-space: nowrap"


def page(names: Sequence[str], docs: Path = DOCS) -> str:
    """The page, from the verdicts of experiments, in their order."""
    found = {name: pl.read_csv(verdicts_file(docs, name)) for name in names if verdicts_file(docs, name).is_file()}
    shown = {name: verdicts.filter(pl.col("glance").str.len_chars() > 0) for name, verdicts in found.items()}
    seen = dict.fromkeys(RATINGS.get(table, table) for verdicts in shown.values() for table in verdicts["table"])
    tables = sorted(seen, key=lambda table: TABLES.index(table) if table in TABLES else len(TABLES))
    lines = []
    for name, verdicts in shown.items():
        for _, claim in verdicts.group_by("key", maintain_order=True):
            first = claim.row(0, named=True)
            cells = dict.fromkeys(tables, "")
            for row in claim.iter_rows(named=True):
                cells[RATINGS.get(row["table"], row["table"])] += _cell(row)
            text = f"[{first['glance']}]({name}.md) <small>{first['source']}</small>"
            lines.append([text, *cells.values()])
    head = ['<span style="display: inline-block; min-width: 20em">claim</span>', *tables]
    # The map needs the width of the page.
    hide, about = "---\nhide: [navigation, toc]\n---", filled(beside(__file__)["about"], {})
    return f"{hide}\n\n# At a glance\n\n{about}\n\n{markdown(head, lines, left=len(head))}\n"


def _cell(row: Mapping[str, Any]) -> str:
    colour = COLOURS.get(Verdict(row["verdict"]))
    shade = f"; background: {colour}; color: #000" if colour else ""
    return f'<span style="{CELL}{shade}" title="{row["verdict"]}">{row["holds"]} of {row["cases"]}</span>'


def write_glance(names: Sequence[str], docs: Path = DOCS) -> None:
    """Write the page beside the others."""
    (docs / "at_a_glance.md").write_text(page(names, docs), encoding="utf-8")
