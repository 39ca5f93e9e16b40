"""``ontomask demo``: the Adult census masked in three ways, compared, and reported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.console import ForceOption, JsonOption, QuietOption, guarded, out, print_json, table, tell
from ontomask.compare import Comparison, compare
from ontomask.evaluation import evaluate
from ontomask.examples.adult import adult_data
from ontomask.job.outputs import Outputs
from ontomask.masking import Method
from ontomask.microdata import Microdata, write_table

__all__ = ["Way", "demo", "ways"]

_NEXT = """Try next, with a table of your own:
  ontomask init data.csv      # writes a first job, data.toml, for you to confirm
  ontomask map data.toml      # how is every value mapped, and what is still to do?
  ontomask mask data.toml     # masks, measures and reports"""


@dataclass(frozen=True)
class Way:
    """A way to mask the census, in a sentence; some can mask words only, not the age."""

    method: Method
    sentence: str
    words_only: bool = False


def ways(k: int = 5, alpha: float = 0.3) -> tuple[Way, ...]:
    """What the demo compares; the table masked by the first is written."""
    from ontomask.masking import CorrelatedNoise, Microaggregation, RankSwapping

    return (
        Way(
            Microaggregation(k, variant="sa_mdav"),
            f"Every record equals at least {k - 1} others: whoever looks for a person finds {k} or more.",
        ),
        Way(RankSwapping(k, algorithm=3), "Every column keeps exactly its values; similar records exchange them."),
        Way(
            CorrelatedNoise(alpha, reference="root"),
            "Every value moves at random in meaning, columns together, to keep their correlation. No guarantee.",
            words_only=True,
        ),
    )


@guarded
def demo(
    out_: Annotated[str, typer.Option("--out", help="The folder for masked.csv and report.html.")] = ".",
    seed: Annotated[int, typer.Option(help="These data are public, so the seed may be, too.", min=0)] = 0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Mask the Adult census by microaggregation, rank swapping and noise; compare them; write table and report."""
    from ontomask.report import build_report

    files = {"masked": Path(out_) / "masked.csv", "report": Path(out_) / "report.html"}
    outputs = Outputs(files, {}, force)
    outputs.check()
    data = adult_data("occupation", "native-country", numeric=["age"], confidential=["salary-class"])
    words = adult_data("occupation", "native-country", confidential=["salary-class"])
    tell(f"Masking {', '.join(data.quasi_identifiers)} of the {len(data):,} records of the Adult census …")
    compared = ways()
    parts = [compare(words if w.words_only else data, [w.method], seeds=[seed], jobs=1) for w in compared]
    found = Comparison(tuple(p.rows[0] for p in parts), tuple(way.method for way in compared))
    result = compared[0].method.mask(data, seed=seed)
    title = "The Adult census, masked by ontomask"
    report = build_report(data, result, evaluate(data, result), comparison=found, title=title)
    with outputs.writing() as drafts:
        write_table(result.frame, drafts["masked"])
        report.save(drafts["report"])
    if json:
        print_json({"files": files, "guarantee": result.guarantee.text, "comparison": found.rows})
    elif not quiet:
        _print(compared, found, {True: words, False: data}, files)


def _print(compared: tuple[Way, ...], found: Comparison, masked: dict[bool, Microdata], files: dict[str, Path]) -> None:
    headings = ["method", "columns", "loss (%)", "linked, worst (%)", "linked SRL (%)", "k", "k, all columns"]
    rows = []
    for way, row in zip(compared, found.rows, strict=True):
        columns = len(masked[way.words_only].quasi_identifiers)
        figures = [f"{row['loss_percent']:.1f}", f"{row['worst']:.2f}", f"{row['srl']:.2f}"]
        figures += [f"{row[name]:,.0f}" for name in ("k", "all_k")]
        rows.append([repr(way.method), str(columns), *figures])
    title = "Three ways to mask the census"
    out.print(table(title, headings, rows, right=headings[1:]))
    lines = [
        *(f"{type(way.method).__name__}: {way.sentence}" for way in compared),
        "",
        "loss: how much of the variety was lost (L). linked, worst: how many records the worst intruder links to",
        "their released row. linked SRL: how many are linked by the masked columns and the ontology alone.",
        "k: how many records at least are equal in the masked columns; and in all columns but the confidential.",
        "Noise masks words, not ages: its figures are those of two columns, and do not compare with the others'.",
        "",
        f"The table, masked by {compared[0].method}: {files['masked']}",
        f"The report on it, for a browser: {files['report']}",
        "",
        _NEXT,
    ]
    out.print("\n".join(lines), markup=False)
