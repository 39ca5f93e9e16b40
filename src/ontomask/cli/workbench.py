"""``ontomask web``: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.console import fail, guarded, print_note
from ontomask.errors import MissingExtraError

__all__ = ["web"]


@guarded
def web(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A table or a job to open.")] = None,
    example: Annotated[bool, typer.Option("--example", help="Open the Adult census.")] = False,
    port: Annotated[int, typer.Option(help="The port.", show_default="any free one", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    max_upload: Annotated[int, typer.Option(help="The largest file to upload, in megabytes.", min=1)] = 2048,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    i_know: Annotated[
        bool,
        typer.Option(
            "--i-know", help="Allow a --host that other machines can reach. It needs --tls-cert and --tls-key."
        ),
    ] = False,
    tls_cert: Annotated[str | None, typer.Option(help="The file of the TLS certificate.")] = None,
    tls_key: Annotated[str | None, typer.Option(help="The file of its private key.")] = None,
) -> None:
    """Open the workbench: from a table to a release in the browser, on this machine only."""
    try:
        from ontomask.web import serve
    except ImportError:
        raise MissingExtraError("The workbench", "web") from None
    if example and file is not None:
        fail("Give a file or --example, not both.")
    serve(
        file=None if file is None else Path(file),
        example=example,
        host=host,
        port=port,
        i_know=i_know,
        certificate=None if tls_cert is None else Path(tls_cert),
        key=None if tls_key is None else Path(tls_key),
        max_upload_mb=max_upload,
        browser=browser,
        announce=print_note,
    )
