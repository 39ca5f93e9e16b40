"""``ontomask ontology``: inspect an ontology, or save it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.console import (
    CHECK_FAILED,
    ForceOption,
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
from ontomask.cli.opening import FormatOption, NameArgument, ReaderOption, open_ontology
from ontomask.distance import distance
from ontomask.distance.base import MEASURES
from ontomask.job.outputs import Outputs
from ontomask.job.sources import EMBEDDED
from ontomask.mapping.mapper import named_concepts, resolve
from ontomask.mapping.suggestions import suggest
from ontomask.taxonomy import validate
from ontomask.taxonomy.readers.saved import save_taxonomy

__all__ = ["ontology"]

ontology = typer.Typer(help="Inspect an ontology, or save it to one file.", no_args_is_help=True)


@ontology.command("info")
@guarded
def ontology_info(
    name: NameArgument,
    format: FormatOption = None,
    option: ReaderOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Print the size, depth and validation findings of an ontology."""
    taxonomy = open_ontology(name, format, option)
    several = sum(len(taxonomy.graph.parents(c)) > 1 for c in range(len(taxonomy)))
    findings = [str(finding) for finding in validate(taxonomy)]
    if json:
        print_json(
            {
                "name": taxonomy.annotations.name,
                "concepts": len(taxonomy),
                "root": taxonomy.root,
                "depth": taxonomy.graph.max_depth,
                "several_parents": several,
                "findings": findings,
                "licence": taxonomy.annotations.licence,
            }
        )
        return
    size = f"depth {taxonomy.graph.max_depth}, {several:,} concepts with several parents"
    licence = [taxonomy.annotations.licence] if taxonomy.annotations.licence else []
    out.print("\n".join([repr(taxonomy), size, *findings, *licence]), markup=False)


@ontology.command("save")
@guarded
def ontology_save(
    name: NameArgument,
    out_: Annotated[str, typer.Option("--out", help="The file, such as hpo.taxonomy.")],
    format: FormatOption = None,
    option: ReaderOption = None,
    domain: Annotated[
        str | None, typer.Option(help="Save only this concept and everything below it.", show_default="everything")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Save an ontology to one compact file that loads in a fraction of a second, and can be used as an ontology."""
    target = Path(out_)
    source = {} if name in EMBEDDED else {"the ontology": Path(name)}
    Outputs({"the saved ontology": target}, source, force).check()
    taxonomy = open_ontology(name, format, option)
    if domain is not None:
        taxonomy = taxonomy.domain(resolve(taxonomy, domain, what="The domain").concept)
    save_taxonomy(taxonomy, target)
    if json:
        print_json({"file": str(target), "concepts": len(taxonomy), "bytes": target.stat().st_size})
    elif not quiet:
        out.print(f"{len(taxonomy):,} concepts are in {target}.", markup=False)


@ontology.command("find")
@guarded
def ontology_find(
    name: NameArgument,
    text: Annotated[str, typer.Argument(help="A word or a code.")],
    format: FormatOption = None,
    option: ReaderOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Find the concepts of a word or code, first sense first, with their parents. Exit code 1 if there is none."""
    if not text.strip():
        fail("Give a word or a code to find.")
    taxonomy = open_ontology(name, format, option)
    found = list(named_concepts(taxonomy, text))
    if json:
        print_json(
            [
                {
                    "concept": concept,
                    "labels": list(taxonomy.labels(concept)),
                    "depth": taxonomy.depth(concept),
                    "parents": list(taxonomy.parents(concept)),
                }
                for concept in found
            ]
        )
    else:
        for concept in found:
            above = ", ".join(taxonomy.parents(concept)) or "the root"
            labels = ", ".join(taxonomy.labels(concept))
            out.print(f"{concept}  {labels}  (depth {taxonomy.depth(concept)}, under {above})", markup=False)
    if not found:
        near = ", ".join(f"{found.concept} ({found.label})" for found in suggest(taxonomy, [text])[0])
        print_note(f"Nothing is called {text!r}." + (f" Did you mean {near}?" if near else ""))
        raise typer.Exit(CHECK_FAILED)


@ontology.command("distance")
@guarded
def ontology_distance(
    name: NameArgument,
    concepts: Annotated[list[str], typer.Argument(help="Ids, codes or words. A word is mapped to its first sense.")],
    measure: Annotated[
        str, typer.Option(help="The semantic distance.", autocompletion=completing(MEASURES))
    ] = "wu_palmer",
    format: FormatOption = None,
    option: ReaderOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,  # noqa: ARG001 (read by the guard)
) -> None:
    """Print the distances between all pairs of concepts."""
    taxonomy = open_ontology(name, format, option)
    found = [resolve(taxonomy, text).concept for text in concepts]
    matrix = distance(measure, taxonomy).matrix(found, dtype="float64").tolist()
    if json:
        print_json({"measure": measure, "concepts": found, "distances": matrix})
        return
    rows = [[concept, *(f"{value:.4f}" for value in row)] for concept, row in zip(found, matrix, strict=True)]
    out.print(table(f"{measure} over {taxonomy.annotations.name or name}", ["", *found], rows))
