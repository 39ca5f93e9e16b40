"""``ontomask reconcile``: serve an ontology to OpenRefine and other clients of the reconciliation API."""

from __future__ import annotations

from typing import Annotated

import typer

from ontomask.cli.console import QuietOption, fail, guarded, print_note
from ontomask.cli.opening import FormatOption, NameArgument, ReaderOption, open_ontology
from ontomask.mapping.mapper import resolve

__all__ = ["reconcile"]


@guarded
def reconcile(
    name: NameArgument,
    domain: Annotated[
        str | None, typer.Option(help="Serve only this concept and everything below it.", show_default="everything")
    ] = None,
    port: Annotated[int, typer.Option(help="The port on 127.0.0.1.", min=0, max=65535)] = 8765,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            help="The address of web pages that may use the service. Can be repeated.",
            show_default="OpenRefine on this machine",
        ),
    ] = None,
    format: FormatOption = None,
    option: ReaderOption = None,
    quiet: QuietOption = False,
) -> None:
    """Serve an ontology on this machine by the W3C Reconciliation Service API 0.2, for OpenRefine. Stop with Ctrl-C."""
    from ontomask.mapping.reconcile.server import OPENREFINE, make_server

    taxonomy = open_ontology(name, format, option)
    if domain is not None:
        taxonomy = taxonomy.domain(resolve(taxonomy, domain, what="The domain").concept)
    try:
        server = make_server(taxonomy, port, origin or OPENREFINE)
    except OSError as problem:
        fail(f"The port {port} cannot be used: {problem.strerror or problem}. Choose another --port.")
    server.service.answer('{"q": {"query": "warm up"}}')
    if not quiet:
        print_note(
            f"{len(taxonomy):,} concepts are served at {server.address}\n"
            f"In OpenRefine: Reconcile, Start reconciling, Add standard service, and this address. Stop with Ctrl-C."
        )
    with server:
        server.serve_forever()
