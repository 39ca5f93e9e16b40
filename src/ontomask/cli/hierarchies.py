"""``ontomask hierarchy``: score and build value generalisation hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.base.text import join_some
from ontomask.cli.console import ForceOption, JsonOption, QuietOption, completing, fail, guarded, out, print_json
from ontomask.hierarchy import HierarchyScore, build_hierarchy, compare_hierarchies, read_hierarchy, score_hierarchy
from ontomask.job.input_files import cell_counts
from ontomask.job.outputs import Outputs
from ontomask.job.sources import EMBEDDED, column_mapping, open_taxonomy
from ontomask.microdata import frames, read_table

__all__ = ["hierarchy"]

hierarchy = typer.Typer(help="Score and build value generalisation hierarchies.", no_args_is_help=True)

OntologyOption = Annotated[
    str,
    typer.Option("--ontology", help="The ontology: a name, a file or a folder.", autocompletion=completing(EMBEDDED)),
]
MappingOption = Annotated[str | None, typer.Option(help="A file that maps labels to concepts.")]


@hierarchy.command("score")
@guarded
def hierarchy_score(
    files: Annotated[list[str], typer.Argument(help="Hierarchy files. Several are compared.")],
    ontology: OntologyOption = "wordnet",
    mapping: MappingOption = None,
    weights: Annotated[
        str, typer.Option(help="The weights of the levels: constant, or level (lower levels weigh more).")
    ] = "constant",
    level: Annotated[str, typer.Option(help="The loss of a level: the max or the mean of its losses.")] = "max",
    distance: Annotated[str | None, typer.Option(help="The semantic distance.", show_default="Wu and Palmer")] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Score the loss of meaning in a hierarchy. Lower is better."""
    taxonomy = open_taxonomy(ontology)
    options: dict[str, Any] = {"distance": distance, "weights": weights, "level": level}
    read = {Path(file).stem: read_hierarchy(file) for file in files}
    if len(read) < len(files):
        fail("Two hierarchies have the same name. Rename one of the files.")
    if len(files) == 1:
        score = score_hierarchy(next(iter(read.values())), taxonomy, mapping, **options)
        content, text = _score_to_dict(score), score.to_text()
    else:
        compared = compare_hierarchies(read, taxonomy, mapping, **options)
        scores = {name: _score_to_dict(score) for name, score in compared.scores.items()}
        content = {"ranking": compared.ranking, "hierarchies": scores, "notes": compared.notes}
        text = compared.to_text()
    if json:
        print_json(content)
    else:
        out.print(text, markup=False)


def _score_to_dict(score: HierarchyScore) -> dict[str, Any]:
    return {
        "score": score.score,
        "weights": score.weights,
        "level": score.level,
        "coverage": score.coverage,
        "levels": score.to_frame().to_dicts(),
        "notes": score.notes,
    }


@hierarchy.command("build")
@guarded
def hierarchy_build(
    data: Annotated[str, typer.Argument(help="The table.")],
    column: Annotated[str, typer.Argument(help="The column to generalise.")],
    ontology: OntologyOption = "wordnet",
    domain: Annotated[str | None, typer.Option(help="A concept that subsumes all values.")] = None,
    mapping: MappingOption = None,
    levels: Annotated[int | None, typer.Option(help="The number of levels above the values.")] = None,
    objective: Annotated[str, typer.Option(help="The loss that each level minimises: max or mean.")] = "max",
    unmapped: Annotated[
        str, typer.Option(help="The policy for values without a concept: error, keep, root or drop.")
    ] = "error",
    top: Annotated[str | None, typer.Option(help="The label of the top level, such as '*'.")] = None,
    out_: Annotated[
        str | None, typer.Option("--out", help="The output file.", show_default="COLUMN-hierarchy.csv")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Build a hierarchy for a column from an ontology, in the format of ARX."""
    source = Path(data)
    frame = read_table(source)
    if column not in frames.columns(frame):
        fail(f"{data}: There is no column {column!r}. It has {join_some(frames.columns(frame), 30)}.")
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
        command = f"ontomask hierarchy score {target} --ontology {ontology}"
        command += f" --mapping {mapping}" if mapping is not None else ""
        out.print(f"{built!r}\nIt is in {target}. Score it with: {command}", markup=False)
