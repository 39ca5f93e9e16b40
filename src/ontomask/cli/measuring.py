"""``ontomask evaluate`` and ``compare``: what maskings cost and buy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.cli.console import (
    CHECK_FAILED,
    ForceOption,
    JobArgument,
    JsonOption,
    QuietOption,
    guarded,
    out,
    print_json,
    table,
    tell,
)
from ontomask.compare import Comparison
from ontomask.job import Job
from ontomask.job.outputs import Outputs
from ontomask.microdata import read_table

__all__ = ["compare", "comparison_table", "evaluate"]

_KEEP = ("meaning", "mean", "correlation", "distribution", "frequencies", "balance")

SeedsOption = Annotated[
    int | None, typer.Option(help="How many seeds.  [default: as the job says, else 3]", min=1, show_default=False)
]
ProcessesOption = Annotated[
    int | None, typer.Option(help="Processes at a time.  [default: as it pays]", min=1, show_default=False)
]


def _complete_keep(incomplete: str) -> list[str]:
    return [what for what in _KEEP if what.startswith(incomplete)]


@guarded
def evaluate(
    job: JobArgument,
    masked: Annotated[
        str | None, typer.Argument(help="A masked table.  [default: the job's own output]", show_default=False)
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(help="A column that tells the records of both tables apart, if some left.", show_default=False),
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Measure a masked table, ours or another tool's, against the original of a job."""
    opened = Job.from_toml(job)
    score = opened.evaluate(read_table(masked if masked is not None else opened.output), key=key)
    if json:
        print_json(score.to_dict())
    else:
        out.print(str(score), markup=False)


@guarded
def compare(
    job: JobArgument,
    seeds: SeedsOption = None,
    processes: ProcessesOption = None,
    journal: Annotated[
        str | None, typer.Option(help="A file to go on from after an interruption.", show_default=False)
    ] = None,
    out_: Annotated[
        str | None, typer.Option("--out", help="Every run as .csv or .parquet, or the map as .svg.", show_default=False)
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Mask by several methods, measure each alike, and put them side by side. No masked table is written."""
    opened = Job.from_toml(job)
    outputs = None if out_ is None else Outputs({"the comparison": Path(out_)}, opened.inputs, force)
    if outputs is not None:
        outputs.check()
    found = opened.compare(seeds=seeds, jobs=processes, journal=None if journal is None else Path(journal))
    if outputs is not None:
        with outputs.writing() as drafts:
            draft = drafts["the comparison"]
            if draft.suffix.lower() == ".svg":
                found.figure().save(draft)
            else:
                found.save(draft)
    if json:
        print_json({"runs": found.rows, "frontier": found.frontier()})
    else:
        out.print(comparison_table(found, f"{opened.settings.input.path} masked by several methods"))
        if not quiet:
            out.print("* none of the others has both less loss and less risk", markup=False)
    _tell_refusals(found)
    if all(row["error"] is not None for row in found.rows):
        raise typer.Exit(CHECK_FAILED)


def comparison_table(found: Comparison, title: str) -> Any:
    """The means over the seeds of what matters most."""
    best = set(found.frontier())
    headings = ["", "method", "loss L (%)", "linked SRL (%)", "k", "change of sdCor", "seconds"]
    rows = [
        [
            "*" if row["method"] in best else "",
            row["method"],
            *(_number(row[name]) for name in ("loss_percent", "srl")),
            _number(row["k_least"]),
            *(_number(row[name]) for name in ("sdcor_difference", "seconds")),
        ]
        for row in found.summary().iter_rows(named=True)
    ]
    return table(title, headings, rows, right=headings[2:], whole=["method"])


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.4g}"


def _tell_refusals(found: Comparison) -> None:
    for method, text in {row["method"]: row["error"] for row in found.rows if row["error"] is not None}.items():
        tell(f"{method} could not mask these data: {text}")
