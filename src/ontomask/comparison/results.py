"""What `compare` found: the runs, their means, the methods that none beats, and which of them failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.base.notes import Note
from ontomask.errors import MaskingError
from ontomask.figures import Figure
from ontomask.masking import Method

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MARK", "MEASURES", "UNBEATEN", "Comparison", "method_names", "shown"]

# What marks a method on the frontier, and what it says.
MARK = "*"
UNBEATEN = "none of the others has both less loss and less risk"

# What can be put on the axes of the map, and what to call it. Of all but `MORE_IS_BETTER`, less is better. What needs
# the method's probabilities, and so the worst intruder, is measured in the first run of each method only.
MEASURES = {
    "loss_percent": "information loss L (%)",
    "semantic_loss": "semantic loss",
    "sse": "SSE",
    "rmse": "RMSE, mean over columns",
    "mean_shift": "shift of the mean, mean over columns",
    "sdvar_difference": "change of sdVar, mean over columns",
    "sdcor_difference": "change of sdCor, mean over pairs",
    "kl_divergence": "KL divergence",
    "k": "k achieved",
    "highest_risk": "highest prosecutor risk (%)",
    "average_risk": "average prosecutor risk (%)",
    "rl": "record linkage RL (%)",
    "mrl": "matching linkage MRL (%)",
    "srl": "semantic linkage SRL (%)",
    "all_k": "k over all columns that could be known",
    "all_uniques": "rows unique over all columns that could be known (%)",
    "all_linked": "linked over all columns that could be known (%)",
    "linked_by_method": "linked by whoever knows the method (%)",
    "recovered": "combinations read back by whoever knows the method (%)",
    "worst": "linked by the worst intruder (%)",
    "suppressed": "records suppressed",
    "seconds": "seconds",
}
MORE_IS_BETTER = ("k", "all_k")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of many runs, one row a method and seed.

    Attributes
    ----------
    rows
        Plain data: method, family, seed, how many columns were masked, every measure of `MEASURES`, and ``error`` where
        a run failed.
    methods
        What was compared.
    """

    rows: tuple[Mapping[str, Any], ...]
    methods: tuple[Method, ...] = ()

    def method(self, name: str) -> Method:
        """The method of a row, by its name there."""
        found = dict(zip(method_names(self.methods), self.methods, strict=True))
        if name in found:
            return found[name]
        raise MaskingError(f"{name} is not among the methods of this comparison: it was made of rows alone.")

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> pl.DataFrame:
        """Tidy: one row a run."""
        import polars as pl

        schema = {"method": pl.String, "family": pl.String, "seed": pl.Int64, "columns": pl.Int64}
        schema |= dict.fromkeys(MEASURES, pl.Float64) | {"error": pl.String}
        return pl.DataFrame(list(self.rows), schema=schema)

    def summary(self) -> pl.DataFrame:
        """One row a method: the mean of every measure over the seeds, and its least and greatest value.

        ``runs`` counts all runs, ``failed`` those that gave no result. The measures are of the others; a method that
        failed in all has none.
        """
        import polars as pl

        parts = [pl.len().alias("runs"), pl.col("error").is_not_null().sum().alias("failed"), pl.max("columns")]
        for name in MEASURES:
            parts += [pl.mean(name), pl.min(name).alias(f"{name}_least"), pl.max(name).alias(f"{name}_most")]
        return self.to_frame().group_by("method", "family", maintain_order=True).agg(parts)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Which methods failed, in how many runs and why, and which were measured on fewer columns than others."""
        reasons: dict[str, str] = {}
        for row in self.rows:
            if row["error"] is not None:
                reasons.setdefault(row["method"], row["error"])
        most = max((row.get("columns") or 0 for row in self.rows if row["error"] is None), default=0)
        told = []
        for row in self.summary().iter_rows(named=True):
            method, runs, failed = row["method"], row["runs"], row["failed"]
            if failed == runs:
                text = "{method} could not mask these data ({failed:,} of {runs:,} runs failed): {reason}"
            else:
                text = "{method} is kept off the frontier ({failed:,} of {runs:,} runs failed): {reason}"
            if failed:
                facts = {"method": method, "failed": failed, "runs": runs, "reason": reasons[method]}
                told.append(Note.of("runs-failed", text, **facts))
            if (row["columns"] or most) < most:
                text = (
                    "{method} is kept off the frontier: it masked fewer columns than others ({columns:,}, not "
                    "{most:,}), so that its figures do not compare."
                )
                told.append(Note.of("fewer-columns", text, method=method, columns=row["columns"], most=most))
        return tuple(told)

    @property
    def risk(self) -> str:
        """The measure of risk to compare by: what the worst intruder links where that was measured, else SRL."""
        return "srl" if all(row.get("worst") is None for row in self.rows) else "worst"

    def frontier(self, risk: str | None = None, loss: str = "loss_percent") -> list[str]:
        """The methods that none beats: no other has less of one and no more of the other. The least risk first.

        The risk is by default `risk`. Of k, more is better: with it as the risk, the largest
        comes first. A method that failed in some run is not
        among them, nor one that was measured on fewer columns than others: their means are not of the same.
        """
        import polars as pl

        risk = risk or self.risk
        alike = (pl.col("failed") == 0) & (pl.col("columns").is_null() | (pl.col("columns") == pl.max("columns")))
        table = self._on_axes(risk, loss).filter(alike).select("method", risk, loss)
        signs = [-1 if name in MORE_IS_BETTER else 1 for name in (risk, loss)]
        places = sorted((signs[0] * x, signs[1] * y, i) for i, (_, x, y) in enumerate(table.iter_rows()))
        kept: list[tuple[float, float, int]] = []
        for place in places:
            # Whoever equals the last one in both is as good.
            if not kept or place[1] < kept[-1][1] or place[:2] == kept[-1][:2]:
                kept.append(place)
        return [table["method"][i] for *_, i in kept]

    def _on_axes(self, risk: str, loss: str) -> pl.DataFrame:
        for name in (risk, loss):
            if name not in MEASURES:
                raise MaskingError(f"there is no measure {name!r}. Choose of {', '.join(MEASURES)}.")
        return self.summary().drop_nulls([risk, loss])

    def figure(self, risk: str | None = None, loss: str = "loss_percent") -> Figure:
        """The risk–utility map: every method by its means over the seeds, and the frontier of those that none beats."""
        from ontomask.figures import Points, ScatterChart

        risk = risk or self.risk
        table = self._on_axes(risk, loss)
        if not len(table):
            raise MaskingError("there is nothing to draw: no method could mask these data.")
        series = [
            Points(
                family,
                part[risk].to_list(),
                part[loss].to_list(),
                labels=[_short(method) for method in part["method"]],
            )
            for (family,), part in table.group_by("family", maintain_order=True)
        ]
        place = {row["method"]: (row[risk], row[loss]) for row in table.iter_rows(named=True)}
        return ScatterChart(
            series,
            x_title=MEASURES[risk],
            y_title=MEASURES[loss],
            frontier=[place[method] for method in self.frontier(risk, loss)],
            title="Risk and loss",
        ).figure()

    def save(self, path: str | Path) -> None:
        """Write the tidy table; the ending decides: ``.parquet`` or ``.csv``."""
        from ontomask.microdata import write_table

        write_table(self.to_frame(), path)

    def __str__(self) -> str:
        headings, lines = shown(self)
        cells = [headings, *lines]
        widths = [max(len(line[i]) for line in cells) for i in range(len(headings))]
        # Names from the left, figures from the right.
        told = [
            "  ".join(f"{cell:{'<' if i < 2 else '>'}{widths[i]}}" for i, cell in enumerate(line)) for line in cells
        ]
        return "\n".join(
            [*(line.rstrip() for line in told), f"{MARK}: {UNBEATEN}", *(f"Note: {n}" for n in self.notes)]
        )

    def __repr__(self) -> str:
        failed = sum(row["error"] is not None for row in self.rows)
        told = f", {failed:,} of them failed" if failed else ""
        return f"<Comparison of {len({row['method'] for row in self.rows}):,} methods in {len(self):,} runs{told}>"

    def _repr_html_(self) -> str:
        headings, lines = shown(self)
        head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
        body = "".join(
            "<tr>"
            + "".join(
                f"<td style='text-align:{'left' if i < 2 else 'right'}'>{escape(cell)}</td>"
                for i, cell in enumerate(line)
            )
            + "</tr>"
            for line in lines
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in (f"{MARK}: {UNBEATEN}", *self.notes))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}{self._map()}"

    def _map(self) -> str:
        """The map, where there is something to draw."""
        return self.figure().svg if len(self._on_axes(self.risk, "loss_percent")) else ""


def method_names(methods: Sequence[Method]) -> list[str]:
    """A name for each method, as it prints itself; numbered where methods differ only in parameters that it hides."""
    often: Counter[str] = Counter()
    names = []
    for method in methods:
        name = repr(method)
        often[name] += 1
        names.append(name if often[name] == 1 else f"{name[:-1]}, #{often[name]})")
    return names


def shown(found: Comparison) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of a table of what matters most: means over the seeds, and of k the least.

    The first cell marks what is on the frontier. *Worst link* is what the worst intruder links, *k all* is k over all
    columns that could be known.
    """
    best = set(found.frontier())
    headings = ["", "method", "loss L (%)", "worst link (%)", "SRL link (%)", "k", "k all", "sdCor change", "runs"]
    lines = [
        [
            MARK if row["method"] in best else "",
            row["method"],
            *(_number(row[name]) for name in ("loss_percent", "worst", "srl")),
            *(_number(row[name], ",.0f") for name in ("k_least", "all_k_least")),
            _number(row["sdcor_difference"], ".3g"),
            f"{row['runs'] - row['failed']:,} of {row['runs']:,}" if row["failed"] else f"{row['runs']:,}",
        ]
        for row in found.summary().iter_rows(named=True)
    ]
    return headings, lines


def _number(value: float | None, form: str = ".4g") -> str:
    return "—" if value is None else f"{value:{form}}"


def _short(method: str) -> str:
    """The parameters alone: the family has its own colour."""
    inside = method[method.index("(") + 1 : -1]
    return inside.replace("'", "")
