"""The command line: thin functions that parse, call the package and print."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the command ``ontomask``."""
    # Loading Typer and Rich takes long enough to be interrupted.
    try:
        from ontomask.cli.commands import run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
