"""The page "At a glance": a heat map of all main claims, with the share of cases in which each holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import polars as pl

from experiments.framework.pages import DOCS, verdicts_file

__all__ = ["page", "write_glance"]

# Blue where a claim holds, orange where it does not, paler in between (both readable under black text).
NARROW = "min-width: 0; padding: .3em .6em; text-align: center"
TABLES = ("as printed", "Adult, as the thesis", "Adult", "diabetes130", "ICD-9-CM", "MONDO", "ICD-9-CM and MONDO",
          "rare values", "WordNet")  # fmt: skip
HOLDS, FAILS = (107, 174, 214), (253, 174, 107)
ABOUT = (
    "The main claims of the publications and our own findings. A cell says in how many cases (levels, columns) a claim "
    "holds on a table. Blue is found, orange is not found; the darker, the larger the share of cases. A cell without "
    "colour is open: the seeds do not decide it. Each claim links to its page. [How claims are "
    "judged](index.md#how-claims-are-judged)."
)


def page(names: Sequence[str], docs: Path = DOCS) -> str:
    """The page, from the verdicts of experiments, in their order."""
    found = {name: pl.read_csv(verdicts_file(docs, name)).filter(pl.col("glance").str.len_chars() > 0)
             for name in names if verdicts_file(docs, name).is_file()}  # fmt: skip
    seen = dict.fromkeys(table for verdicts in found.values() for table in verdicts["table"])
    tables = sorted(seen, key=lambda table: TABLES.index(table) if table in TABLES else len(TABLES))
    head = "".join(f'<th style="{NARROW}">{escape(table)}</th>' for table in tables)
    lines = []
    for name, verdicts in found.items():
        for key in verdicts["key"].unique(maintain_order=True):
            by_table = {row["table"]: row for row in verdicts.filter(pl.col("key") == key).to_dicts()}
            first = next(iter(by_table.values()))
            cells = "".join(_cell(by_table.get(table)) for table in tables)
            # Markdown is not read inside HTML.
            text = escape(first["glance"].replace("`", ""))
            link = f'<a href="{name}.html">{text}</a> <small>{escape(first["source"])}</small>'
            lines.append(f'<tr><td style="padding: .3em .6em">{link}</td>{cells}</tr>')
    body = "\n".join(lines)
    top = f'<thead><tr><th style="min-width: 24em">claim</th>{head}</tr></thead>'
    grid = f"<table>\n{top}\n<tbody>\n{body}\n</tbody>\n</table>"
    # The map needs the width of the page.
    hide = "---\nhide:\n  - navigation\n  - toc\n---"
    return f"{hide}\n\n# At a glance\n\n{ABOUT}\n\n{grid}\n"


def _cell(verdict: Mapping[str, object] | None) -> str:
    if verdict is None:
        return f'<td style="{NARROW}"></td>'
    holds, cases, words = int(str(verdict["holds"])), int(str(verdict["cases"])), str(verdict["verdict"])
    share = holds / cases
    colour, strength = (HOLDS, share) if share >= 0.5 else (FAILS, 1 - share)
    shade = "" if words == "open" else f"; background: rgb{_mix(colour, strength)}; color: #000"
    return f'<td title="{words}" style="{NARROW}; white-space: nowrap{shade}">{holds} of {cases}</td>'


def _mix(colour: tuple[int, int, int], strength: float) -> tuple[int, ...]:
    """A colour mixed with white: half of it at one half, all of it at 1."""
    return tuple(round(255 + (part - 255) * strength) for part in colour)


def write_glance(names: Sequence[str], docs: Path = DOCS) -> None:
    """Write the page beside the others."""
    (docs / "at_a_glance.md").write_text(page(names, docs), encoding="utf-8")
