"""Write TOML: keys, values, tables and comments.

All names and values from files go through these functions, so a newline or a quote in a column name cannot add lines to
a job.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import date, time
from typing import Any

from ontomask.base.text import UNSAFE, visible
from ontomask.errors import TableError

__all__ = ["dotted_key", "toml_comment", "toml_key", "toml_table", "toml_value"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_table(name: str, keys: Mapping[str, Any]) -> str:
    """A TOML table. ``name`` is a key that is already quoted if necessary.

    >>> print(toml_table("method", {"name": "PRAM", "stay": 0.8}))
    [method]
    name = "PRAM"
    stay = 0.8
    """
    return "\n".join([f"[{name}]", *(f"{toml_key(key)} = {toml_value(value)}" for key, value in keys.items())])


def dotted_key(*parts: object) -> str:
    """A key of several parts.

    >>> dotted_key("columns", "native country", "role")
    'columns."native country".role'
    """
    return ".".join(toml_key(str(part)) for part in parts)


def toml_key(name: str) -> str:
    """A key, quoted unless it is a plain word.

    >>> print(toml_key("age"), toml_key("native country"))
    age "native country"
    """
    return name if _BARE.fullmatch(name) else toml_value(name)


def toml_value(value: Any) -> str:
    r"""A TOML value. Non-printing characters are escaped.

    >>> print(toml_value(["a\nb", "\x1b[2J", "\u202e", 1, True]))
    ["a\nb", "\u001b[2J", "\u202e", 1, true]
    """
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(name)} = {toml_value(one)}" for name, one in value.items()) + " }"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if not isinstance(value, str):
        return json.dumps(value)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise TableError(
            f"The name or value {visible(value)!r} is not Unicode text. Rename it and try again.", code="not-unicode"
        )
    # JSON and TOML escape the same characters in the same way.
    return UNSAFE.sub(_escape, json.dumps(value, ensure_ascii=False))


def toml_comment(text: str) -> str:
    r"""A text for a comment, on one line. Non-printing characters are escaped.

    >>> toml_comment("a\n[input]")
    'a\\u000a[input]'
    """
    return visible(text)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}" if ord(found[0]) < 0x10000 else f"\\U{ord(found[0]):08x}"
