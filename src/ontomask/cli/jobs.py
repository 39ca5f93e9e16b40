"""``ontomask init``, ``map`` and ``mask``: write, check and run a job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

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
from ontomask.errors import worded
from ontomask.job import Job
from ontomask.job.first_job import draft_job
from ontomask.job.methods import spell_method
from ontomask.job.outputs import Outputs
from ontomask.job.problems import spell_in_table
from ontomask.job.sources import EMBEDDED
from ontomask.mapping import MappingReport
from ontomask.mapping.decision_file import accept_suggestions

__all__ = ["init", "map_", "mask"]


@guarded
def init(
    data: Annotated[str, typer.Argument(metavar="DATA", help="The table.")],
    out_: Annotated[
        str | None, typer.Option("--out", help="The job file, or a folder for it.", show_default="DATA.toml here")
    ] = None,
    ontology: Annotated[
        list[str] | None,
        typer.Option(
            help="An ontology to look values up in: a name or a path. Can be repeated.",
            autocompletion=completing(EMBEDDED),
        ),
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="The delimiter of a text file.", show_default="auto")] = None,
    encoding: Annotated[str, typer.Option(help="The encoding of a text file.")] = "utf-8",
    decimal: Annotated[str | None, typer.Option(help="The decimal mark of a text file.", show_default="auto")] = None,
    thousands: Annotated[
        str | None, typer.Option(help="The mark between thousands in a text file.", show_default="none")
    ] = None,
    header: Annotated[bool, typer.Option(help="Whether the first row holds the column names.")] = True,
    sheet: Annotated[str | None, typer.Option(help="The sheet of an Excel file.", show_default="the first")] = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a first job for a table. Roles and kinds are guesses for you to confirm, or left for you to decide."""
    source = Path(data)
    target = Path(out_ or ".")
    if target.is_dir():
        target /= f"{source.name.split('.')[0]}.toml"
    Outputs({"the job": target}, {"the table": source}, force).check()
    given = {
        "delimiter": delimiter,
        "encoding": None if encoding == "utf-8" else encoding,
        "header": None if header else False,
        "decimal": decimal,
        "thousands": thousands,
        "sheet": sheet,
    }
    draft = draft_job(source, ontology or (), {key: value for key, value in given.items() if value is not None})
    draft.write(target, overwrite=force)
    if json:
        guesses = {
            name: {
                "role": g.role,
                **g.keys,
                "why": g.why,
                **({"advice": worded(g.advice, spell_in_table)} if g.advice else {}),
                "distinct": len(draft.profiles[name].texts),
                "unique": draft.profiles[name].unique,
            }
            for name, g in draft.guesses.items()
        }
        print_json({"job": str(target), "guesses": guesses})
        return
    if quiet:
        return
    rows = []
    for name, guess in draft.guesses.items():
        seen = draft.profiles[name]
        holds = str(guess.keys.get("taxonomy") or guess.keys.get("kind") or "—")
        rows.append([name, guess.role, holds, f"{len(seen.texts):,}", f"{100 * seen.unique:.0f}", guess.why])
    headings = ["column", "role", "holds", "distinct", "unique (%)", "why"]
    title = f"Guesses for {source.name}"
    out.print(table(title, headings, rows, right=["distinct", "unique (%)"], unwrapped=["column", "role"]))
    undecided = sum(guess.role == "undecided" for guess in draft.guesses.values())
    decide = f" and decided every undecided role ({undecided:,})" if undecided else ""
    out.print(
        f"The job is in {target}. It runs once you have confirmed every guess in it{decide}.\n"
        f"Try next: ontomask map {target}",
        markup=False,
    )


@guarded
def map_(
    job: JobArgument,
    all_: Annotated[bool, typer.Option("--all", help="List every value, not only those to check.")] = False,
    strict: Annotated[
        bool, typer.Option(help="Also report words that were mapped to their first sense by default.")
    ] = False,
    write: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write all values with concepts and suggestions to a CSV file for editing."),
    ] = None,
    accept: Annotated[
        float | None,
        typer.Option(help="In that file, take the best suggestion if its score is at least this (0 to 1)."),
    ] = None,
    force: ForceOption = False,
    engine: EngineOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Check a job before it runs: how every value is mapped, and what is left to do. Exit code 1 if anything is."""
    if accept is not None and write is None:
        fail("Accepted suggestions must be written down. Give --write a file for them.")
    read = Job.from_toml(job, engine=engine)
    checked = read.check(strict=strict)
    if write is not None:
        if accept is not None:
            accepted = tuple(accept_suggestions(column, accept) for column in checked.mapping)
            checked = replace(checked, mapping=MappingReport(accepted))
        number = read.write_mapping(write, checked.mapping, overwrite=force)
        if not quiet:
            print_note(
                f"{number:,} values are in {write}. It holds original values, also rare ones: keep it to yourself.\n"
                f"A column uses the file when it names it: mapping = '{write}'."
            )
    if json:
        print_json(checked.to_dict())
    elif not quiet:
        lines = [checked.mapping.to_text(all_values=all_), ""] if len(checked.mapping) else []
        lines.append("The job can run." if checked.ready else "Before the job can run:")
        lines += [f"  {problem}" for problem in checked.problems]
        lines += ["What to do:", *(f"  {step}" for step in checked.next_steps)] if checked.next_steps else []
        out.print("\n".join([*lines, *(f"Warning: {warning}" for warning in checked.warnings)]), markup=False)
    if not checked.ready:
        raise typer.Exit(CHECK_FAILED)


@guarded
def mask(
    job: JobArgument,
    seed: Annotated[
        int | None,
        typer.Option(help="The seed.", show_default="drawn from the operating system", min=0),
    ] = None,
    repeat: Annotated[str | None, typer.Option(help="The private file of a run to repeat.")] = None,
    allow_weak_seed: Annotated[
        bool, typer.Option("--allow-weak-seed", help="Allow a seed below 2⁶⁴, for tests and public data.")
    ] = False,
    engine: EngineOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run a job: mask the table, evaluate it, and write it in random order with a report. Writes all files or none."""
    if seed is not None and repeat is not None:
        fail("Give --seed or --repeat, not both.")
    run = Job.from_toml(job, engine=engine).run(
        seed=seed, repeat=repeat, overwrite=True if force else None, allow_weak_seed=allow_weak_seed
    )
    guarantee = run.result.guarantee
    if json:
        print_json(
            {
                "files": run.files,
                "records": len(run.result.data),
                "method": repr(run.result.method),
                "guarantee": {
                    "claim": guarantee.claim,
                    "k": guarantee.k,
                    "text": guarantee.text,
                    "also": guarantee.also,
                },
                "notes": run.notes,
                "evaluation": None if run.score is None else run.score.to_dict(),
            }
        )
        return
    if quiet:
        return
    for note in run.notes:
        print_note(f"Note: {note}")
    lines = [f"{len(run.result.data):,} records masked by {spell_method(run.result.method)}", str(guarantee)]
    if run.score is not None:
        lines.append(f"Information loss {run.score.loss_percent:.3g} %")
        if run.score.attacks is None:
            known = ", ".join(run.result.data.columns)
            lines.append(f"An intruder who knows {known} links {run.score.srl:.3g} % of the records by meaning")
        else:
            lines.append(f"Worst intruder: {run.score.attacks.worst.sentence}")
            lines += [found.sentence for found in run.score.attacks.findings if found.learns != "records"]
    private = ("private", "plan")
    lines += [f"  {what}: {path}" for what, path in run.files.items() if what not in private]
    lines += [f"  {what} (keep it to yourself): {path}" for what, path in run.files.items() if what in private]
    out.print("\n".join(lines), markup=False)
