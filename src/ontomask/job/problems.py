"""`JobError`: what is wrong with a job, always with the file and the key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ontomask.errors import JobError, OntomaskError

__all__ = ["dotted", "place", "shown"]

_MOST_SHOWN = 60
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@contextmanager
def place(path: Path, key: str) -> Iterator[None]:
    """Say which key of which job a problem comes from."""
    try:
        yield
    except JobError:
        raise
    except OntomaskError as problem:
        raise JobError(path, [(key, str(problem))]) from problem


def dotted(*parts: object) -> str:
    """A key as a job file spells it.

    >>> dotted("columns", "native country", "role")
    'columns."native country".role'
    """
    texts = [str(part) for part in parts]
    return ".".join(text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False) for text in texts)


def shown(value: object) -> str:
    """A value of the job file, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
