"""Text from files made safe to print: control characters are shown, never sent to the terminal."""

from __future__ import annotations

import re

__all__ = ["UNSAFE", "visible"]

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters, the escape character and line ends among them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of the text
    "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # not to be seen
    "\u2028\u2029\ud800-\udfff]"  # line ends, and halves of characters
)
"""Characters that recolour, hide or rewrite what a terminal shows.

The joiners U+200C and U+200D are not among them: they are part of the spelling of Persian, Hindi and others.
"""


def visible(text: str, *, keep: str = "\n\t") -> str:
    r"""Replace unsafe characters by their Python escapes; those in ``keep`` stay as they are.

    >>> print(visible("a\x1b[2Jb\u202ec\r"))
    a\x1b[2Jb\u202ec\r
    >>> visible("one\ntwo", keep="")
    'one\\ntwo'
    """
    return UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
