"""``ontomask hierarchy``: score value generalisation hierarchies, and build them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.base.text import join_some
from ontomask.cli.console import ForceOption, JsonOption, QuietOption, fail, guarded, out, print_json
from ontomask.cli.ontologies import complete_ontologies
from ontomask.hierarchy import (
    HierarchyScore,
    build_hierarchy,
    compare_hierarchies,
    read_hierarchy,
    score_hierarchy,
)
from ontomask.job.outputs import Outputs
from ontomask.job.sources import cell_counts, column_mapping, open_taxonomy
from ontomask.microdata import frames, read_table

__all__ = ["hierarchy"]

hierarchy = typer.Typer(help="Score value generalisation hierarchies, and build them.", no_args_is_help=True)

OntologyOption = Annotated[
    str,
    typer.Option("--ontology", help="What they mean: a name, a file or a folder.", autocompletion=complete_ontologies),
]
MappingOption = Annotated[str | None, typer.Option(help="A file of labels and concepts.", show_default=False)]


@hierarchy.command("score")
@guarded
def hierarchy_score(
    files: Annotated[list[str], typer.Argument(help="Hierarchies; several are compared.", show_default=False)],
    ontology: OntologyOption = "wordnet",
    mapping: MappingOption = None,
    weights: Annotated[str, typer.Option(help="Of the levels: constant, or level (the lower, the more).")] = "constant",
    level: Annotated[str, typer.Option(help="What stands for a level: the max of its losses, or the mean.")] = "max",
    distance: Annotated[str | None, typer.Option(help="By default Wu and Palmer's.", show_default=False)] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """How much meaning the generalisations of a hierarchy lose; the less, the better."""
    taxonomy = open_taxonomy(ontology)
    options: dict[str, Any] = {"distance": distance, "weights": weights, "level": level}
    read = {Path(file).stem: read_hierarchy(file) for file in files}
    if len(read) < len(files):
        fail("these hierarchies have the same name: rename one of the files.")
    if len(files) == 1:
        score = score_hierarchy(next(iter(read.values())), taxonomy, mapping, **options)
        if json:
            print_json(_told(score))
        else:
            out.print(score.to_text(), markup=False)
        return
    compared = compare_hierarchies(read, taxonomy, mapping, **options)
    if json:
        notes = [str(note) for note in compared.notes]
        scores = {name: _told(score) for name, score in compared.scores.items()}
        print_json({"ranking": list(compared.ranking), "hierarchies": scores, "notes": notes})
    else:
        out.print(compared.to_text(), markup=False)


def _told(score: HierarchyScore) -> dict[str, Any]:
    return {
        "score": score.score,
        "weights": score.weights,
        "level": score.level,
        "coverage": score.coverage,
        "levels": score.to_frame().to_dicts(),
        "notes": [str(note) for note in score.notes],
    }


@hierarchy.command("build")
@guarded
def hierarchy_build(
    data: Annotated[str, typer.Argument(help="The file of a table.", show_default=False)],
    column: Annotated[str, typer.Argument(help="The column whose values are generalised.", show_default=False)],
    ontology: OntologyOption = "wordnet",
    domain: Annotated[str | None, typer.Option(help="A concept that all values lie under.", show_default=False)] = None,
    mapping: MappingOption = None,
    levels: Annotated[int | None, typer.Option(help="How many levels above the values.", show_default=False)] = None,
    objective: Annotated[str, typer.Option(help="What each level makes least: max or mean loss.")] = "max",
    unmapped: Annotated[str, typer.Option(help="Values without a concept: error, keep, root or drop.")] = "error",
    top: Annotated[
        str | None, typer.Option(help="The label of the last level, such as '*'.", show_default=False)
    ] = None,
    out_: Annotated[str | None, typer.Option("--out", help="Where to.  [default: COLUMN-hierarchy.csv]")] = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Build a hierarchy for a column from an ontology, in the form that ARX reads."""
    source = Path(data)
    frame = read_table(source)
    if column not in frames.columns(frame):
        fail(f"{data}: has no column {column!r}. It has {join_some(frames.columns(frame), 30)}.")
    target = Path(out_ if out_ is not None else f"{column}-hierarchy.csv")
    outputs = Outputs({"the hierarchy": target}, {"the table": source}, force)
    outputs.check()
    built = build_hierarchy(
        cell_counts(frame, column),
        open_taxonomy(ontology),
        None if mapping is None else column_mapping(mapping),
        levels,
        objective=objective,  # type: ignore[arg-type]
        domain=domain,
        unmapped=unmapped,
        top=top,
        name=column,
    )
    with outputs.writing() as drafts:
        built.to_csv(drafts["the hierarchy"])
    if json:
        sizes = [len(built.labels(level)) for level in range(built.height + 1)]
        print_json({"file": str(target), "values": len(built.leaves), "groups": sizes[1:]})
    elif not quiet:
        again = f"ontomask hierarchy score {target} --ontology {ontology}"
        again += f" --mapping {mapping}" if mapping is not None else ""
        out.print(f"{built!r}\nIt is in {target}. Score it: {again}", markup=False)
