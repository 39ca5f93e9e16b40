"""Text from files made safe to print: control characters are shown, never sent to the terminal."""

from __future__ import annotations

import unicodedata

__all__ = ["visible"]

# The joiners are part of the spelling of Persian, Hindi and others, and do nothing to a terminal.
_JOINERS = "\u200c\u200d"


def visible(text: str, *, keep: str = "\n\t") -> str:
    r"""Replace control characters, bidirectional marks and lone surrogates by their Python escapes.

    A value or a file name can hold an escape sequence that recolours, hides or rewrites what a terminal shows.
    Characters in ``keep`` stay as they are.

    >>> print(visible("a\x1b[2Jb\u202ec\r"))
    a\x1b[2Jb\u202ec\r
    >>> visible("one\ntwo", keep="")
    'one\\ntwo'
    """
    if text.isprintable():
        return text
    return "".join(char if _is_harmless(char) or char in keep else _escape(char) for char in text)


def _is_harmless(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) in ("Zs", "Cn", "Co")


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
