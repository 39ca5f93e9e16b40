"""The results of `compare`: the runs, their means, the frontier, and the runs that failed."""

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

    from ontomask.figures import ScatterChart

__all__ = ["MARK", "MEASURES", "UNBEATEN", "Comparison", "method_names", "summary_cells"]

# The mark of a method on the frontier, and its meaning.
MARK = "*"
UNBEATEN = "no other method has both less loss and less risk"

# The measures and their titles. Less is better for all but `MORE_IS_BETTER`. The worst intruder, and measures that need
# the probabilities of the method, are computed only in the first run of each method.
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
    "linked_by_method": "linked by an intruder who knows the method (%)",
    "recovered": "combinations read back by an intruder who knows the method (%)",
    "worst": "linked by the worst intruder (%)",
    "suppressed": "records suppressed",
    "seconds": "seconds",
}
MORE_IS_BETTER = ("k", "all_k")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of many runs, one row for each method and seed.

    Attributes
    ----------
    rows
        Plain data: method, family, seed, number of masked columns, every measure of `MEASURES`, and ``error`` if the
        run failed.
    methods
        The methods compared.
    """

    rows: tuple[Mapping[str, Any], ...]
    methods: tuple[Method, ...] = ()

    def method(self, name: str) -> Method:
        """The method of a row, by its name there."""
        if name in self._by_name:
            return self._by_name[name]
        raise MaskingError(
            f"This comparison does not have the method {name}. Give its methods: Comparison(rows, methods).",
            parameter="methods",
        )

    @property
    def _by_name(self) -> dict[str, Method]:
        return dict(zip(method_names(self.methods), self.methods, strict=True))

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> pl.DataFrame:
        """A tidy table: one row for each run."""
        import polars as pl

        schema = {"method": pl.String, "family": pl.String, "seed": pl.Int64, "columns": pl.Int64}
        schema |= dict.fromkeys(MEASURES, pl.Float64) | {"error": pl.String}
        return pl.DataFrame(list(self.rows), schema=schema)

    def summary(self) -> pl.DataFrame:
        """One row for each method: the mean, the smallest and the largest value of every measure over the seeds.

        ``runs`` counts all runs, ``failed`` those without a result. The measures are those of the others; they are
        missing for a method that failed in all runs.
        """
        import polars as pl

        parts = [pl.len().alias("runs"), pl.col("error").is_not_null().sum().alias("failed"), pl.max("columns")]
        for name in MEASURES:
            parts += [pl.mean(name), pl.min(name).alias(f"{name}_least"), pl.max(name).alias(f"{name}_most")]
        return self.to_frame().group_by("method", "family", maintain_order=True).agg(parts)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on methods that failed in some runs, and on methods that masked fewer columns than others."""
        reasons: dict[str, str] = {}
        for row in self.rows:
            if row["error"] is not None:
                reasons.setdefault(row["method"], row["error"])
        most = max((row.get("columns") or 0 for row in self.rows if row["error"] is None), default=0)
        notes = []
        for row in self.summary().iter_rows(named=True):
            method, runs, failed = row["method"], row["runs"], row["failed"]
            if failed == runs:
                text = "{method} could not mask these data ({failed:,} of {runs:,} runs failed): {reason}"
            else:
                text = "{method} is not compared with the others because {failed:,} of {runs:,} runs failed: {reason}"
            if failed:
                facts = {"method": method, "failed": failed, "runs": runs, "reason": reasons[method]}
                notes.append(Note.of("runs-failed", text, **facts))
            if (row["columns"] or most) < most:
                text = "{method} is not compared with others, since it masked {columns:,} columns and others {most:,}."
                notes.append(Note.of("fewer-columns", text, method=method, columns=row["columns"], most=most))
        return tuple(notes)

    @property
    def risk(self) -> str:
        """The measure of risk to compare by: records linked by the worst intruder if that was measured, else SRL."""
        return "srl" if all(row.get("worst") is None for row in self.rows) else "worst"

    def frontier(self, risk: str | None = None, loss: str = "loss_percent") -> list[str]:
        """The Pareto frontier: no other method has less risk and no more loss, or less loss and no more risk.

        The least risk comes first. The measure of risk is `risk` by default. For k, more is better, so the largest k
        comes first. A method that failed in some run, or that masked fewer columns than others, is left out: its means
        cannot be compared.
        """
        import polars as pl

        risk = risk or self.risk
        alike = (pl.col("failed") == 0) & (pl.col("columns").is_null() | (pl.col("columns") == pl.max("columns")))
        table = self._on_axes(risk, loss).filter(alike).select("method", risk, loss)
        signs = [-1 if name in MORE_IS_BETTER else 1 for name in (risk, loss)]
        points = sorted((signs[0] * x, signs[1] * y, i) for i, (_, x, y) in enumerate(table.iter_rows()))
        best: list[tuple[float, float, int]] = []
        for point in points:
            # A method that equals the last one in both is as good.
            if not best or point[1] < best[-1][1] or point[:2] == best[-1][:2]:
                best.append(point)
        return [table["method"][i] for *_, i in best]

    def _on_axes(self, risk: str, loss: str) -> pl.DataFrame:
        for name in (risk, loss):
            if name not in MEASURES:
                message = f"There is no measure {name!r}. Use one of {', '.join(MEASURES)}."
                raise MaskingError(message, parameter="loss" if name == loss else "risk")
        return self.summary().drop_nulls([risk, loss])

    def figure(self, risk: str | None = None, loss: str = "loss_percent") -> Figure:
        """The risk–utility map: every method by its means over the seeds, and the frontier."""
        return self.chart(risk, loss).figure()

    def chart(self, risk: str | None = None, loss: str = "loss_percent") -> ScatterChart:
        """The map of `figure` before it is drawn, for other titles."""
        from ontomask.figures import Points, ScatterChart

        risk = risk or self.risk
        table = self._on_axes(risk, loss)
        if not len(table):
            raise MaskingError(
                "There is nothing to draw: no method could mask these data. See the notes for the reasons.",
                code="nothing-to-draw",
            )
        # Each family has its own colour, so that parameters are enough for a label.
        labels = {name: _parameters(method, self.methods) for name, method in self._by_name.items()}
        series = [
            Points(
                family,
                part[risk].to_list(),
                part[loss].to_list(),
                labels=[labels.get(method, method) for method in part["method"]],
            )
            for (family,), part in table.group_by("family", maintain_order=True)
        ]
        position = {row["method"]: (row[risk], row[loss]) for row in table.iter_rows(named=True)}
        return ScatterChart(
            series,
            x_title=MEASURES[risk],
            y_title=MEASURES[loss],
            frontier=[position[method] for method in self.frontier(risk, loss)],
            title="Risk and loss",
        )

    def drawn_methods(self) -> list[str]:
        """The methods in the order of the points of `figure` with its default axes."""
        table = self._on_axes(self.risk, "loss_percent")
        return [method for _, part in table.group_by("family", maintain_order=True) for method in part["method"]]

    def save(self, path: str | Path) -> None:
        """Write the tidy table to a ``.parquet`` or ``.csv`` file."""
        from ontomask.microdata import write_table

        write_table(self.to_frame(), path)

    def __str__(self) -> str:
        headings, rows = summary_cells(self)
        cells = [headings, *rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
        # Names are aligned to the left, figures to the right.
        lines = ["  ".join(f"{cell:{'<' if i < 2 else '>'}{widths[i]}}" for i, cell in enumerate(row)) for row in cells]
        return "\n".join(
            [*(line.rstrip() for line in lines), f"{MARK}: {UNBEATEN}", *(f"Note: {n}" for n in self.notes)]
        )

    def __repr__(self) -> str:
        failed = sum(row["error"] is not None for row in self.rows)
        failures = f", {failed:,} of them failed" if failed else ""
        methods = len({row["method"] for row in self.rows})
        return f"<Comparison of {methods:,} methods in {len(self):,} runs{failures}>"

    def _repr_html_(self) -> str:
        headings, rows = summary_cells(self)
        head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
        body = "".join(
            "<tr>"
            + "".join(
                f"<td style='text-align:{'left' if i < 2 else 'right'}'>{escape(cell)}</td>"
                for i, cell in enumerate(row)
            )
            + "</tr>"
            for row in rows
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in (f"{MARK}: {UNBEATEN}", *self.notes))
        chart = self.figure().svg if len(self._on_axes(self.risk, "loss_percent")) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}{chart}"


def method_names(methods: Sequence[Method]) -> list[str]:
    """A name for each method: its `repr`, with a number if methods differ only in parameters that this hides."""
    often: Counter[str] = Counter()
    names = []
    for method in methods:
        name = repr(method)
        often[name] += 1
        if often[name] > 1:
            inside = [f"{parameter}={value!r}" for parameter, value in method.public_parameters.items()]
            name = f"{type(method).__name__}({', '.join([*inside, f'#{often[name]}'])})"
        names.append(name)
    return names


def summary_cells(found: Comparison) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of a table with the main measures: means over the seeds, and the least k.

    The first cell marks methods on the frontier. *Worst link* is the share of records that the worst intruder links.
    *k all* is k over all columns that others could know.
    """
    best = set(found.frontier())
    headings = ["", "method", "loss L (%)", "worst link (%)", "SRL link (%)", "k", "k all", "sdCor change", "runs"]
    rows = [
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
    return headings, rows


def _number(value: float | None, form: str = ".4g") -> str:
    return "—" if value is None else f"{value:{form}}"


def _parameters(method: Method, compared: Sequence[Method]) -> str:
    """Its parameters, without requirements that all compared methods have."""
    shared = ("require", "by") if all((m.require, m.by) == (method.require, method.by) for m in compared) else ()
    given = {name: value for name, value in method.public_parameters.items() if name not in shared}
    return ", ".join(f"{name}={value}" for name, value in given.items())
