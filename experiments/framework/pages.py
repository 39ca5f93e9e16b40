"""Pages: the question, one figure, the answer, the claims, and tables to unfold.

The text of a page is in a TOML file beside the module that measures: see `Experiment`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from experiments.framework.claims import Claim, Rule, Verdict, judge
from experiments.framework.measurements import Row, Rows
from experiments.framework.settings import Setting
from ontomask.figures import Figure, LineChart

DOCS = Path(__file__).parents[2] / "docs" / "experiments"
INCOMPLETE = Path(__file__).parents[2] / "build" / "experiments"


@dataclass(frozen=True)
class Experiment:
    """A question, how it is measured, and the page with the answer. The text is in the TOML file beside the module.

    The file has the ``title``, the ``question`` in a sentence, the ``caption`` of the figure, the ``answer`` (which is
    about the complete data and shown only with them), and the ``setup``: how it was measured. ``needs`` lists the data
    of the page in the docs: ``"diabetes130"`` (alone by default), ``"mondo"``, ``"wordnet"``, ``"arx_adult"``. There is
    a ``[claims.KEY]`` with the fields of a `Claim` for each rule.

    Attributes
    ----------
    file
        ``__file__`` of the module.
    measure
        Measures everything.
    figure
        The picture that answers the question.
    facts
        The figures of the answer, from the rows. In the file, ``{loss:.1f}`` shows the fact ``loss``.
    rules
        The rule of each claim, in the order of the page.
    tables
        Tables to unfold, by title, as Markdown.
    names
        What any text in the file may show, such as the sizes of samples. All files may show what is in ``pages.toml``.
    """

    file: str
    measure: Callable[[Setting], Iterable[Row]]
    figure: Callable[[Rows], Figure]
    facts: Callable[[Rows], Mapping[str, Any]]
    rules: Mapping[str, Rule]
    tables: Callable[[Rows], Mapping[str, str]]
    names: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _parts(self) -> dict[str, Any]:
        return beside(self.file)

    def text(self, part: str) -> str:
        """A part of the page: the title, the question, the caption or the setup."""
        return filled(self._parts[part], self.names)

    def answer(self, rows: Rows) -> str:
        """The answer with its figures."""
        return filled(self._parts["answer"], {**self.names, **self.facts(rows)})

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims to judge."""
        texts = self._parts.get("claims", {})
        if set(texts) != set(self.rules):
            raise ValueError(f"{self.file}: text and rules differ in {set(texts) ^ set(self.rules)}.")
        return [
            Claim(key, rule=rule, **{part: filled(words, self.names) for part, words in texts[key].items()})
            for key, rule in self.rules.items()
        ]

    @property
    def needs(self) -> Sequence[str]:
        """The data that the page in the docs needs."""
        found: Sequence[str] = self._parts.get("needs", ["diabetes130"])
        return found

    def is_complete(self, setting: Setting) -> bool:
        """Whether all data of the page in the docs are there."""
        return not setting.quick and all(getattr(setting, name) is not None for name in self.needs)

    def page(self, name: str, rows: Rows, *, complete: bool) -> str:
        """The whole page. What was written about the complete data is shown only with them."""
        found = verdicts(self.claims, rows)
        data = "DATA=FOLDER " if self.needs else ""
        title = self.text("title")
        parts = [
            # Without a table of contents, there is more room for the figure.
            f"---\nhide: [toc]\n---\n\n# {title}",
            f"**{self.text('question')}**",
            f"![{title}](figures/{name}.svg)",
            self.text("caption"),
            self.answer(rows) if complete else "",
            _fold(f"The claims and their verdicts: {_counts(found)}", _verdict_table(self.claims, found, complete)),
            _fold("How it was measured", self.text("setup")),
            *(_fold(title, text) for title, text in self.tables(rows).items()),
            "[Words and figures](index.md#words-and-figures) · [How claims are judged](index.md#how-claims-are-judged) "
            f"· Every measurement, one row per seed: [`results/{name}.csv`](results/{name}.csv) · Made by "
            f"`make experiments {data}EXPERIMENTS={name}` ([what it needs](index.md#run-them-yourself))",
        ]
        # Numbers and their percent signs stay on one line.
        return "\n\n".join(part for part in parts if part).replace(" %", "\N{NO-BREAK SPACE}%") + "\n"


def beside(file: str) -> dict[str, Any]:
    """The texts in the TOML file beside a module."""
    return tomllib.loads(Path(file).with_suffix(".toml").read_text(encoding="utf-8"))


# What the text of every page may show.
COMMON = {name: text.strip() for name, text in beside(__file__).items()}


def filled(text: str, known: Mapping[str, Any]) -> str:
    """A text with what is known in place of the names, and each paragraph on one line."""
    known = {**COMMON, **known}
    shown = {name: ", ".join(map(str, value)) if isinstance(value, tuple) else value for name, value in known.items()}
    return "\n\n".join(" ".join(part.split()) for part in text.format_map(shown).strip().split("\n\n"))


def verdicts(claims: Sequence[Claim], rows: Rows) -> pl.DataFrame:
    """The judgements of all claims, one row per claim and table."""
    found = [
        (claim.key, claim.text, claim.glance, claim.source, one.table, one.verdict.value, one.holds, one.clear,
         one.cases, one.low, one.high)
        for claim in claims for one in judge(claim, rows)
    ]  # fmt: skip
    names = ("key", "claim", "glance", "source", "table", "verdict", "holds", "clear", "cases", "low", "high")
    return pl.DataFrame(found, schema=names, orient="row")


def _counts(found: pl.DataFrame) -> str:
    """How often there is which verdict."""
    counts = {verdict.value: len(found.filter(verdict=verdict.value)) for verdict in Verdict}
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)


def _verdict_table(claims: Sequence[Claim], found: pl.DataFrame, complete: bool) -> str:
    """A row per claim, a column per table; with the interval of the share of cases if the seeds leave it open."""
    if not claims:
        return ""
    cells = {}
    for one in found.iter_rows(named=True):
        share = "" if one["low"] == one["high"] else f", {100 * one['low']:.0f}–{100 * one['high']:.0f} %"
        cells[one["key"], one["table"]] = f"{one['verdict']} ({one['holds']} of {one['cases']}{share})"
    tables = list(found["table"].unique(maintain_order=True))
    lines = [
        [
            f"{number}",
            f"**{claim.text}** ({claim.source})" + (f"<br>{claim.why}" if complete and claim.why else ""),
            *(cells.get((claim.key, table), "") for table in tables),
        ]
        for number, claim in enumerate(claims, start=1)
    ]
    return markdown(["", "claim", *tables], lines, left=2 + len(tables))


def _fold(title: str, text: str) -> str:
    """A part of a page that is unfolded by a click."""
    return f"<details markdown>\n<summary>{title}</summary>\n\n{text}\n\n</details>" if text else ""


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]], left: int = 1) -> str:
    """A Markdown table; the first ``left`` columns are text, the others figures."""
    rule = ["---"] * min(left, len(head)) + ["--:"] * max(len(head) - left, 0)
    return "\n".join(f"| {' | '.join(row)} |" for row in (list(head), rule, *map(list, lines)))


def by_level(
    rows: Rows,
    measure: str,
    *,
    symbol: str = "k",
    methods: Sequence[str] | None = None,
    tables: Sequence[str] | None = None,
    columns: str | None = "",
    digits: int = 2,
) -> str:
    """A table of one measure: a row per method, a column per level. With ``None``, one for each of the columns."""
    parts = []
    for table in tables or rows.tables:
        of_table = rows.where(tables=table)
        for part in of_table.frame["columns"].unique(maintain_order=True) if columns is None else [columns]:
            levels = of_table.where(columns=part).levels()
            lines = [
                [method, *(rows.text(measure, method, level, table, part, digits=digits) for level in levels)]
                for method in (methods or rows.methods(table))
            ]
            lines = [line for line in lines if any(cell != "—" for cell in line[1:])]
            title = f"{table}, {part}" if columns is None and part else table
            if lines:
                parts.append(markdown([title, *(f"{symbol} = {level:,g}" for level in levels)], lines))
    return "\n\n".join(parts)


def charts(
    rows: Rows,
    measure: str,
    methods: Iterable[str],
    *,
    tables: Sequence[str] | None = None,
    columns: str = "",
    title: str = "{}",
    x_title: str = "k",
    **options: Any,
) -> list[LineChart]:
    """For each table, a chart of one measure: a line per method. ``{}`` in the title is the table's name."""
    return [
        LineChart(
            [rows.line(name, measure, name, table, columns, style=style) for style, name in enumerate(methods)
             if name in rows.methods(table)],
            title=title.format(table), x_title=x_title, **options,
        )
        for table in tables or rows.where(measures=measure, columns=columns).tables
    ]  # fmt: skip


def write(
    name: str, experiment: Experiment, rows: Rows, setting: Setting, out: Path | None = None, *, complete: bool = False
) -> Path:
    """Write page, rows, verdicts and picture into a folder, by default the docs if the data are ``complete``."""
    # A page without all its data must not replace one that has them.
    complete = complete or experiment.is_complete(setting)
    folder = out or (DOCS if complete else INCOMPLETE)
    for part in (folder, folder / "results", folder / "figures"):
        part.mkdir(parents=True, exist_ok=True)
    rows.write(folder / "results" / f"{name}.csv")
    # Read again, so that a page made from the file is the same.
    rows = Rows.read(folder / "results" / f"{name}.csv")
    (folder / f"{name}.md").write_text(experiment.page(name, rows, complete=complete), encoding="utf-8")
    if experiment.claims:
        verdicts(experiment.claims, rows).write_csv(verdicts_file(folder, name), float_precision=4)
    experiment.figure(rows).save(folder / "figures" / f"{name}.svg")
    return folder


def verdicts_file(folder: Path, name: str) -> Path:
    """The file with the verdicts of an experiment, one row per claim and table."""
    return folder / "results" / f"{name}_verdicts.csv"
