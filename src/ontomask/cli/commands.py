"""The commands of ``ontomask`` and its exit codes."""

from __future__ import annotations

import signal
import sys
import traceback
from importlib.metadata import version
from types import FrameType
from typing import Annotated

import typer

from ontomask.cli.console import FAULT, INTERRUPTED
from ontomask.cli.demo import demo
from ontomask.cli.hierarchies import hierarchy
from ontomask.cli.jobs import init, map_, mask
from ontomask.cli.measuring import advise, attack, compare, evaluate
from ontomask.cli.ontologies import ontology
from ontomask.cli.reconciling import reconcile
from ontomask.cli.workbench import web
from ontomask.errors import is_panic


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ontomask {version('ontomask')}")
        raise typer.Exit


app = typer.Typer(
    help="Mask nominal personal data by the meaning of its values.",
    epilog="Exit codes: 0 success, 1 a check failed, 2 invalid input, 3 a fault of the program, 130 interrupted.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


for _command in (demo, web, init, map_, mask, evaluate, attack, compare, advise, reconcile):
    app.command(_command.__name__.rstrip("_"))(_command)
app.add_typer(hierarchy, name="hierarchy")
app.add_typer(ontology, name="ontology")

_TERMINATED = 143


def run() -> None:
    """Run the command line. Only a fault of the program itself prints a traceback."""
    # A terminated run cleans up like an interrupted one.
    signal.signal(signal.SIGTERM, _terminate)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BaseException as fault:
        if not isinstance(fault, Exception) and not is_panic(fault):
            raise
        # Messages of other libraries may quote cells, and users send this output to others.
        traceback.print_tb(fault.__traceback__)
        print(f"{type(fault).__name__} (the message is omitted, since it may quote the data)", file=sys.stderr)
        print("ontomask: This is a fault of the program. Please report it.", file=sys.stderr)
        sys.exit(FAULT)


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (as signal handlers are called)
    sys.exit(_TERMINATED)
