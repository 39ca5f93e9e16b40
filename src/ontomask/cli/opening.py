"""The arguments of commands that open an ontology: its name, its format, and options of its reader."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ontomask.cli.console import completing, fail
from ontomask.job.sources import EMBEDDED, open_taxonomy
from ontomask.taxonomy import Taxonomy

__all__ = ["FormatOption", "NameArgument", "ReaderOption", "open_ontology"]

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="ONTOLOGY", help=f"{', '.join(EMBEDDED)}, or a file or folder", autocompletion=completing(EMBEDDED)
    ),
]
FormatOption = Annotated[str | None, typer.Option(help="The format.", show_default="auto")]
ReaderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="An option of the reader, such as system=URL or cuts=atc. Can be repeated."
    ),
]


def open_ontology(name: str, format: str | None, option: Sequence[str] | None) -> Taxonomy:
    """Open the ontology that a command names."""
    options = dict(map(_parse, option or ()))
    if name in EMBEDDED and (format or options):
        fail(f"{name} is included in this package, so it has no --format and no --option. Leave them out.")
    if {"path", "format"} & options.keys():
        fail("The path and the format are no options of a reader. Give the path as ONTOLOGY, and use --format.")
    return open_taxonomy(name, format, **options)


def _parse(text: str) -> tuple[str, Any]:
    """An option and its value: a number, a list, true, false or null as in JSON, anything else as text."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        fail("An --option has a name and a value, such as --option language=de.")
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value
