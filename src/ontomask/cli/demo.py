"""``ontomask demo``: the Adult census masked in three ways, compared, and reported."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from ontomask.cli.console import ForceOption, JsonOption, QuietOption, guarded, out, print_json, table, tell
from ontomask.comparison.compare import Comparison, compare, comparison_row
from ontomask.evaluation import Evaluation, evaluate
from ontomask.examples.adult import full_adult_data
from ontomask.job.outputs import Outputs
from ontomask.masking import Method
from ontomask.microdata import Microdata

__all__ = ["compared_methods", "demo"]

_Compared = tuple[tuple[Method, str], ...]

_NEXT = """Try next, with a table of your own:
  ontomask init data.csv      # writes a first job, data.toml, for you to confirm
  ontomask map data.toml      # how is every value mapped, and what is still to do?
  ontomask mask data.toml     # masks, measures and reports"""


def compared_methods(k: int = 5) -> _Compared:
    """The methods that the demo compares, each with a sentence. The table masked by the first is written.

    All three mask words, scales and numbers and guarantee k-anonymity, so their figures compare. Noise masks words
    only; it, swapping and PRAM give no k.
    """
    from ontomask.masking import Microaggregation, Recoding

    return (
        (Microaggregation(k), f"Groups of at least {k} similar records, each released as its centre."),
        (Microaggregation(2 * k), "The same with larger groups: safer, and less detailed."),
        (Recoding(k), f"Combinations that fewer than {k} records have become the nearest of the others."),
    )


@guarded
def demo(
    out_: Annotated[str, typer.Option("--out", help="The folder for masked.csv and report.html.")] = ".",
    seed: Annotated[int, typer.Option(help="These data are public, so the seed may be, too.", min=0)] = 0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Mask the eight columns of the Adult census that others may know, in three ways; write table and report."""
    from ontomask.report import build_report

    files = {"masked": Path(out_) / "masked.csv", "report": Path(out_) / "report.html"}
    outputs = Outputs(files, {}, force)
    outputs.check()
    data = full_adult_data()
    tell(f"Masking {', '.join(data.quasi_identifiers)} of the {len(data):,} records of the Adult census …")
    compared = compared_methods()
    chosen, *others = (method for method, _ in compared)
    begun = perf_counter()
    result = chosen.mask(data, seed=seed)
    seconds = perf_counter() - begun
    score = evaluate(data, result)
    rows = [comparison_row(data, chosen, seed, score, seconds), *compare(data, others, seeds=[seed], jobs=1).rows]
    found = Comparison(tuple(rows), (chosen, *others))
    report = build_report(data, result, score, comparison=found, title="The Adult census, masked by ontomask")
    with outputs.writing() as drafts:
        result.write(drafts["masked"], seed=seed)
        report.save(drafts["report"])
    if json:
        print_json({"files": files, "guarantee": result.guarantee.text, "comparison": found.rows})
    elif not quiet:
        _print(data, score, compared, found, files)


def _print(data: Microdata, score: Evaluation, compared: _Compared, found: Comparison, files: dict[str, Path]) -> None:
    headings = ["method", "loss (%)", "linked, worst (%)", "linked, SRL (%)", "k"]
    before = score.anonymity_before
    risk = f"{before.average_risk:.1f}"
    rows = [["none: as it came", "0.0", risk, risk, f"{before.k:,.0f}"]]
    rows += [
        [row["method"], *(f"{row[name]:.1f}" for name in ("loss_percent", "worst", "srl")), f"{row['k']:,.0f}"]
        for row in found.rows
    ]
    out.print(table("Three ways to mask the census", headings, rows, right=headings[1:]))
    columns = len(data.quasi_identifiers)
    lines = [
        *(f"{method}: {sentence}" for method, sentence in compared),
        "",
        f"loss: how much of the variety in the {columns} masked columns was lost (L).",
        f"linked, worst: how many records the worst intruder links, who knows all {columns} columns and the method.",
        "linked, SRL: how many are linked by the nearest meaning.",
        f"k: how many records, at least, share the released values of all {columns} columns.",
        "All three guarantee k. Noise, swapping and PRAM do not: 'ontomask compare' measures them, too.",
        "The ninth column, the salary class, is confidential and kept. k does not protect it where a whole group has",
        "the same class: 'confidential value certain' in the report says how many records that concerns.",
        "",
        f"The table, masked by {compared[0][0]}: {files['masked']}",
        f"The report on it, for a browser: {files['report']}",
        "",
        _NEXT,
    ]
    out.print("\n".join(lines), markup=False)
