"""Commands of ``ontomask``: what they are called, and how the program ends."""

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
from ontomask.errors import is_panic


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"ontomask {version('ontomask')}")
        raise typer.Exit


app = typer.Typer(
    help="Mask nominal personal data by what the values mean.",
    epilog="Exit codes: 0 all is well, 1 a check failed, 2 a mistake, 3 a fault of the program, 130 interrupted.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


app.command()(demo)
app.command()(init)
app.command("map")(map_)
app.command()(mask)
app.command()(evaluate)
app.command()(attack)
app.command()(compare)
app.command()(advise)
app.add_typer(hierarchy, name="hierarchy")
app.add_typer(ontology, name="ontology")

_TERMINATED = 143


def run() -> None:
    """Run the command line; only a fault of the program itself ends in a traceback."""
    # So that a terminated run cleans up as an interrupted one does.
    signal.signal(signal.SIGTERM, _terminate)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BaseException as fault:
        if not isinstance(fault, Exception) and not is_panic(fault):
            raise
        # What other libraries say may quote cells of the table, and this is to be sent to others: no message.
        traceback.print_tb(fault.__traceback__)
        print(f"{type(fault).__name__} (its message is left out, since it may quote the data)", file=sys.stderr)
        print("ontomask: this is a fault of the program. Please report it.", file=sys.stderr)
        sys.exit(FAULT)


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (as signal handlers are called)
    sys.exit(_TERMINATED)
