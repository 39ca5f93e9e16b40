"""``ontomask evaluate``, ``attack``, ``compare`` and ``advise``: measure masked tables and choose a method."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from ontomask.cli.console import (
    CHECK_FAILED,
    EngineOption,
    ForceOption,
    JobArgument,
    JsonOption,
    QuietOption,
    completing,
    fail,
    guarded,
    out,
    print_json,
    print_note,
    table,
)
from ontomask.comparison.advice import Keep
from ontomask.comparison.advice import advise as recommend
from ontomask.comparison.results import MARK, UNBEATEN, Comparison, summary_cells
from ontomask.job import Job
from ontomask.job.methods import read_requirements, to_toml_dict
from ontomask.job.outputs import REPORTS, Outputs, try_format
from ontomask.job.toml_text import toml_table

__all__ = ["advise", "attack", "compare", "comparison_table", "evaluate"]

_KEEP: tuple[str, ...] = get_args(Keep)

SeedsOption = Annotated[
    int | None, typer.Option(help="The number of seeds.", show_default="from the job, else 3", min=1)
]
ProcessesOption = Annotated[
    int | None, typer.Option(help="The number of parallel processes.", show_default="auto", min=1)
]
KeyOption = Annotated[
    str | None,
    typer.Option(help="A column that identifies a record in both tables, if the order differs."),
]
PrivateOption = Annotated[
    str | None,
    typer.Option(help="The private file of the run that wrote the table.", show_default="beside it"),
]


@guarded
def evaluate(
    job: JobArgument,
    masked: Annotated[str | None, typer.Argument(help="A masked table.", show_default="the job's own output")] = None,
    key: KeyOption = None,
    private: PrivateOption = None,
    report: Annotated[str | None, typer.Option(help="Also write a report: .html, .json or .txt.")] = None,
    exposed: Annotated[
        bool,
        typer.Option("--exposed", help="List the records at highest risk in the report. Do not share such a report."),
    ] = False,
    force: ForceOption = False,
    engine: EngineOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Evaluate a masked table, ours or another tool's, against the original of a job."""
    if exposed and report is None:
        fail("--exposed lists records in the report. Also give --report FILE.")
    opened = Job.from_toml(job, engine=engine)
    source = Path(masked) if masked is not None else opened.output
    secret = None if private is None else Path(private)
    outputs = None
    if report is not None:
        outputs = Outputs({"the report": Path(report)}, {**opened.inputs, "the masked table": source}, force)
        outputs.check()
        if Path(report).suffix.lower() not in REPORTS:
            fail(f"{report}: The name of a report must end in one of {', '.join(REPORTS)}.")
    frame = opened.read(source, private=secret, ordered=key is None)
    method = opened.method_of(source, private=secret)
    if outputs is None:
        score = opened.evaluate(frame, key=key, method=method)
    else:
        score, made = opened.report(frame, key=key, exposed=exposed, method=method)
        with outputs.writing() as drafts:
            made.save(drafts["the report"])
    if json:
        print_json(score.to_dict())
    else:
        out.print(str(score), markup=False)


@guarded
def attack(
    job: JobArgument,
    masked: Annotated[
        str | None,
        typer.Argument(help="A masked table.", show_default="mask the job's table"),
    ] = None,
    key: KeyOption = None,
    private: PrivateOption = None,
    seed: Annotated[int | None, typer.Option(help="The seed for masking.", show_default="drawn", min=0)] = None,
    engine: EngineOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Attack a masked table like an intruder who knows other columns, the method, or more."""
    opened = Job.from_toml(job, engine=engine)
    if masked is not None and seed is not None:
        fail("--seed is for masking. Leave it out, or leave out the masked table.")
    if masked is None and (key is not None or private is not None):
        fail("--key and --private identify records of a masked table. Give the table, or leave them out.")
    secret = None if private is None else Path(private)
    frame = None if masked is None else opened.read(Path(masked), private=secret, ordered=key is None)
    method = None if masked is None else opened.method_of(Path(masked), private=secret)
    found = opened.attack(frame, key=key, seed=seed, method=method)
    if json:
        print_json(found.to_dict())
        return
    rows = [[f.intruder, f.learns, f"{f.percent:.3g}", f.sentence] for f in found.findings]
    headings = ["intruder", "learns", "percent", "finding"]
    out.print(
        table(f"Attacks on {opened.settings.input.path}", headings, rows, right=["percent"], unwrapped=["intruder"])
    )
    out.print(f"The worst intruder who links records: {found.worst.sentence}", markup=False)


@guarded
def compare(
    job: JobArgument,
    seeds: SeedsOption = None,
    processes: ProcessesOption = None,
    journal: Annotated[str | None, typer.Option(help="A file to resume from after an interruption.")] = None,
    out_: Annotated[
        str | None,
        typer.Option("--out", help="Write all runs as .csv or .parquet, or the chart as .svg."),
    ] = None,
    force: ForceOption = False,
    engine: EngineOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Mask with several methods, evaluate each, and compare them. No masked table is written."""
    opened = Job.from_toml(job, engine=engine)
    outputs = None
    if out_ is not None:
        target = Path(out_)
        outputs = Outputs({"the comparison": target}, opened.inputs, force)
        outputs.check()
        if target.suffix.lower() != ".svg":
            try_format(target)
    try:
        found = opened.compare(seeds=seeds, jobs=processes, journal=None if journal is None else Path(journal))
    except KeyboardInterrupt:
        not_saved = "No run was saved. With --journal FILE, the same command resumes after an interruption."
        saved = f"The finished runs are in {journal}. Run the same command to resume."
        raise KeyboardInterrupt(not_saved if journal is None else saved) from None
    if outputs is not None:
        with outputs.writing() as drafts:
            draft = drafts["the comparison"]
            (found.figure() if draft.suffix.lower() == ".svg" else found).save(draft)
    if json:
        counted = found.summary().select("method", "runs", "failed").to_dicts()
        print_json({"runs": found.rows, "methods": counted, "frontier": found.frontier(), "notes": found.notes})
    else:
        out.print(comparison_table(found, f"{opened.settings.input.path} masked with several methods"))
        if not quiet:
            out.print(f"{MARK} {UNBEATEN}", markup=False)
    for note in found.notes:
        print_note(note)
    if all(row["error"] is not None for row in found.rows):
        raise typer.Exit(CHECK_FAILED)


def comparison_table(found: Comparison, title: str) -> Any:
    """The means of the main measures over the seeds, with the number of runs."""
    headings, rows = summary_cells(found)
    # The mark is before the name, which leaves more room for figures.
    marked = [[f"{mark} {method}" if mark else method, *figures] for mark, method, *figures in rows]
    return table(title, headings[1:], marked, right=headings[2:])


@guarded
def advise(
    job: JobArgument,
    guarantee: Annotated[
        bool,
        typer.Option(
            "--guarantee/--no-guarantee",
            help="Whether the method must guarantee k-anonymity or, with --stream, metric privacy.",
        ),
    ],
    keep: Annotated[
        str, typer.Option(help=f"What to preserve: {', '.join(_KEEP)}.", autocompletion=completing(_KEEP))
    ] = "meaning",
    k: Annotated[int, typer.Option(help="The minimum size of groups, or the size of swapping intervals.")] = 5,
    alpha: Annotated[float, typer.Option(help="The level of noise.")] = 0.3,
    stream: Annotated[bool, typer.Option("--stream", help="Records arrive one at a time.")] = False,
    weight: Annotated[float, typer.Option(help="For --keep balance: the weight of loss against risk.")] = 0.5,
    measure: Annotated[bool, typer.Option("--measure", help="Compare the methods on these data first.")] = False,
    seeds: SeedsOption = None,
    engine: EngineOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Recommend a method for a job's data, based on the literature or on measurements."""
    opened = Job.from_toml(job, engine=engine)
    # Not from job.method, which may not be valid yet.
    asked = opened.settings.method.parameters.get("require", [])
    require = read_requirements(asked, path=opened.path, key="method.require")
    options: Mapping[str, Any] = {"keep": keep, "k": k, "alpha": alpha, "stream": stream, "weight": weight}
    found = opened.compare(seeds=seeds, require=require, k=k, alpha=alpha) if measure else None
    advice = recommend(opened.data, guarantee=guarantee, require=require, comparison=found, **options)
    if json:
        print_json(
            {
                "method": to_toml_dict(advice.method),
                "reasons": advice.reasons,
                "cautions": advice.cautions,
                "measured": advice.measured,
            }
        )
        return
    out.print(f"{advice}\n\n{toml_table('method', to_toml_dict(advice.method))}", markup=False)
