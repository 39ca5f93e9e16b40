"""Commands of ``ontomask``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ontomask.distance import distance
from ontomask.errors import OntomaskError
from ontomask.examples.adult import DOMAIN, MAPPING, load_adult
from ontomask.mapping import ColumnMapping, MappingReport, map_values
from ontomask.mapping.mapper import resolve
from ontomask.taxonomy import Taxonomy, validate
from ontomask.taxonomy.embedded import load_icd9cm, load_wordnet
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.readers.icd10 import load_icd10cm

app = typer.Typer(
    help="Mask nominal personal data by what the values mean.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
ontology = typer.Typer(help="Look into an ontology.", no_args_is_help=True)
app.add_typer(ontology, name="ontology")
out = Console(highlight=False, soft_wrap=True)

EMBEDDED: dict[str, Callable[[], Taxonomy]] = {"wordnet": load_wordnet, "icd9cm": load_icd9cm, "icd10cm": load_icd10cm}
OntologyName = Annotated[str, typer.Argument(help=f"{', '.join(EMBEDDED)}, or a file or folder", show_default=False)]


def run() -> None:
    """Run the command line; a user's mistake ends in one message and exit code 2, never in a traceback."""
    try:
        app()
    except OntomaskError as problem:
        print(f"ontomask: {problem}", file=sys.stderr)
        sys.exit(2)


def _open(name: str) -> Taxonomy:
    return EMBEDDED[name]() if name in EMBEDDED else read_taxonomy(Path(name))


@app.callback()
def root() -> None:
    """Keep ``demo`` a command of its own while there are few."""


@app.command()
def demo(json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False) -> None:
    """Map the Adult census's occupations and native countries to WordNet and report how."""
    adult = load_adult()
    report = MappingReport(
        tuple(
            map_values(adult[name], load_wordnet(), MAPPING[name], domain=DOMAIN[name], column=name) for name in MAPPING
        )
    )
    if json:
        print(report.to_json())
        return
    out.print(
        f"Adult census: {len(adult['age']):,} records; two nominal columns mapped to {load_wordnet()!r}\n",
        markup=False,
    )
    for column in report:
        out.print(_mapping_table(column))
        out.print(column.to_text(), markup=False)
        wn = load_wordnet()
        top = wn.lcs(*column.concepts.values())
        out.print(
            f"  least common subsumer: {top}; its domain has {len(wn.descendants(top)):,} concepts\n",
            markup=False,
        )
    out.print("Try next: ontomask ontology find wordnet tiger", markup=False)


def _mapping_table(column: ColumnMapping) -> Table:
    table = Table(title=column.column, title_justify="left")
    for heading in ("value", "records", "concept", "words", "rule"):
        table.add_column(heading, justify="right" if heading == "records" else "left")
    for v in column.values:
        table.add_row(v.value, f"{v.count:,}", v.concept or "—", v.label, v.rule)
    return table


@ontology.command("info")
def ontology_info(name: OntologyName) -> None:
    """Size, depth and findings of an ontology."""
    taxonomy = _open(name)
    out.print(repr(taxonomy), markup=False)
    several = sum(len(taxonomy.graph.parents(c)) > 1 for c in range(len(taxonomy)))
    out.print(f"depth {taxonomy.graph.max_depth}, {several:,} concepts with several parents", markup=False)
    for finding in validate(taxonomy):
        out.print(str(finding), markup=False)
    if taxonomy.annotations.licence:
        out.print(taxonomy.annotations.licence, markup=False)


@ontology.command("find")
def ontology_find(name: OntologyName, text: Annotated[str, typer.Argument(show_default=False)]) -> None:
    """The concepts a word (or code) stands for, first sense first, with their parents."""
    taxonomy = _open(name)
    alias = taxonomy.find_alias(text)
    found = [text] if text in taxonomy else alias[1] if alias else taxonomy.find(text)
    for concept in found:
        above = ", ".join(taxonomy.parents(concept)) or "the root"
        out.print(
            f"{concept}  {', '.join(taxonomy.labels(concept))}  (depth {taxonomy.depth(concept)}, under {above})",
            markup=False,
        )
    if not found:
        print(map_values([text], taxonomy).complaint().splitlines()[1].strip(), file=sys.stderr)
        raise typer.Exit(1)


@ontology.command("distance")
def ontology_distance(
    name: OntologyName,
    concepts: Annotated[list[str], typer.Argument(help="Ids, codes or words; a word takes its first sense.")],
    measure: Annotated[str, typer.Option(help="The semantic distance.")] = "wu_palmer",
) -> None:
    """The distances between all pairs of the given concepts."""
    taxonomy = _open(name)
    found = [resolve(taxonomy, text).concept for text in concepts]
    matrix = distance(measure, taxonomy).matrix(found, dtype="float64")
    table = Table(title=f"{measure} over {taxonomy.annotations.name or name}", title_justify="left")
    for heading in ("", *found):
        table.add_column(heading)
    for concept, row in zip(found, matrix.tolist(), strict=True):
        table.add_row(concept, *(f"{value:.4f}" for value in row))
    out.print(table)
