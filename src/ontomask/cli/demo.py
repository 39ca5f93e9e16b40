"""``ontomask demo``: mask the Adult census with three methods, compare them, and write a report."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from ontomask.cli.console import ForceOption, JsonOption, QuietOption, guarded, out, print_json, print_note, table
from ontomask.comparison.compare import Comparison, compare, comparison_row
from ontomask.evaluation import Evaluation, evaluate
from ontomask.examples.adult import full_adult_data
from ontomask.job.outputs import Outputs
from ontomask.masking import Method
from ontomask.microdata import Microdata

__all__ = ["compared_methods", "demo"]

_Compared = tuple[tuple[Method, str], ...]

_NEXT = """Try next, with a table of your own:
  ontomask init data.csv      # write a first job, data.toml, for you to confirm
  ontomask map data.toml      # check how every value is mapped, and what is still to do
  ontomask mask data.toml     # mask, evaluate and report"""


def compared_methods() -> _Compared:
    """The methods that the demo compares, each with an explanation. The table masked by the first is written.

    All three mask words, scales and numbers and guarantee k-anonymity, so their results are comparable. Noise masks
    only words; noise, swapping and PRAM do not guarantee a k.
    """
    from ontomask.masking.microaggregation import Microaggregation
    from ontomask.masking.recoding import Recoding

    return (
        (Microaggregation(5), "Groups at least 5 similar records and releases the centroid of each group."),
        (Microaggregation(10), "The same with larger groups: safer, but less detailed."),
        (Recoding(5), "Replaces combinations that fewer than 5 records share by the nearest other combination."),
    )


@guarded
def demo(
    out_: Annotated[str, typer.Option("--out", help="The folder for masked.csv and report.html.")] = ".",
    seed: Annotated[int, typer.Option(help="The seed. These data are public, so it may be public too.", min=0)] = 0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Mask eight columns of the Adult census with three methods; write a masked table and a report."""
    from ontomask.report import build_report

    files = {"masked": Path(out_) / "masked.csv", "report": Path(out_) / "report.html"}
    outputs = Outputs(files, {}, force)
    outputs.check()
    data = full_adult_data()
    print_note(f"Masking {', '.join(data.quasi_identifiers)} of the {len(data):,} records of the Adult census …")
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
    rows = [["none (original)", "0.0", risk, risk, f"{before.k:,.0f}"]]
    rows += [
        [row["method"], *(f"{row[name]:.1f}" for name in ("loss_percent", "worst", "srl")), f"{row['k']:,.0f}"]
        for row in found.rows
    ]
    out.print(table("Three ways to mask the census", headings, rows, right=headings[1:]))
    columns = len(data.quasi_identifiers)
    lines = [
        *(f"{method}: {sentence}" for method, sentence in compared),
        "",
        f"loss: the share of the variation in the {columns} masked columns that was lost (L).",
        f"linked, worst: the share of records that an intruder links who knows all {columns} columns and the method.",
        "linked, SRL: the share linked by the nearest meaning.",
        f"k: at least this many records share the released values of all {columns} columns.",
        "All three methods guarantee k. Noise, swapping and PRAM do not; 'ontomask compare' also measures them.",
        "The ninth column, the salary class, is confidential and kept. k does not protect it if all records of a group",
        "have the same class: see 'confidential value certain' in the report.",
        "",
        f"The table, masked by {compared[0][0]}: {files['masked']}",
        f"The report on it, for a browser: {files['report']}",
        "",
        _NEXT,
    ]
    out.print("\n".join(lines), markup=False)
