"""``ontomask evaluate``, ``compare`` and ``advise``: what maskings cost and buy, and which to take."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.cli.console import (
    CHECK_FAILED,
    ForceOption,
    JobArgument,
    JsonOption,
    QuietOption,
    fail,
    guarded,
    out,
    print_json,
    table,
    tell,
)
from ontomask.compare import Comparison
from ontomask.job import Job
from ontomask.job.drafting import toml_table
from ontomask.job.methods import told
from ontomask.job.outputs import REPORTS, Outputs, try_format
from ontomask.microdata import read_table

__all__ = ["advise", "compare", "comparison_table", "evaluate"]

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
    report: Annotated[
        str | None, typer.Option(help="Also write the report on it: .html, .json or .txt.", show_default=False)
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Measure a masked table, ours or another tool's, against the original of a job."""
    opened = Job.from_toml(job)
    source = Path(masked) if masked is not None else opened.output
    if report is None:
        score = opened.evaluate(read_table(source), key=key)
    else:
        outputs = Outputs({"the report": Path(report)}, {**opened.inputs, "the masked table": source}, force)
        outputs.check()
        if Path(report).suffix.lower() not in REPORTS:
            fail(f"{report}: the name of a report must end in one of {', '.join(REPORTS)}.")
        score, written = opened.report(read_table(source), key=key)
        with outputs.writing() as drafts:
            written.save(drafts["the report"])
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
    outputs = None
    if out_ is not None:
        target = Path(out_)
        outputs = Outputs({"the comparison": target}, opened.inputs, force)
        outputs.check()
        if target.suffix.lower() != ".svg":
            try_format(target)
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


@guarded
def advise(
    job: JobArgument,
    guarantee: Annotated[
        bool, typer.Option("--guarantee/--no-guarantee", help="Whether k-anonymity must be guaranteed.")
    ],
    keep: Annotated[
        str, typer.Option(help=f"What the data are for: {', '.join(_KEEP)}.", autocompletion=_complete_keep)
    ] = "meaning",
    k: Annotated[int, typer.Option(help="The least size of groups, or of swapping intervals.")] = 5,
    alpha: Annotated[float, typer.Option(help="The level of noise.")] = 0.3,
    stream: Annotated[bool, typer.Option("--stream", help="Records come one at a time.")] = False,
    weight: Annotated[float, typer.Option(help="In a balance, how much loss counts against risk.")] = 0.5,
    measure: Annotated[bool, typer.Option("--measure", help="Compare methods on these data first.")] = False,
    seeds: SeedsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Recommend a method for a job's data, by what the literature found or by what is measured."""
    from ontomask.advise import advise as recommend

    opened = Job.from_toml(job)
    found = opened.compare(seeds=seeds, k=k, alpha=alpha) if measure else None
    options: Mapping[str, Any] = {"keep": keep, "k": k, "alpha": alpha, "stream": stream, "weight": weight}
    advice = recommend(opened.data, guarantee=guarantee, comparison=found, **options)
    if json:
        print_json(
            {
                "method": told(advice.method),
                "reasons": advice.reasons,
                "cautions": advice.cautions,
                "measured": advice.measured,
            }
        )
        return
    out.print(f"{advice}\n\n{toml_table('method', told(advice.method))}", markup=False)
