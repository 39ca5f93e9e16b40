"""Text made safe to print: characters that cannot be seen, or that change what is around them, become escapes."""

from __future__ import annotations

import re

__all__ = ["UNSAFE", "visible"]

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters, the escape character and line ends among them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of the text
    "\xad\u034f\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"  # cannot be seen
    "\U000e0000-\U000e007f"  # cannot be seen either
    "\u2028\u2029\ud800-\udfff]"  # line ends, and halves of characters
)
"""Characters that recolour, hide or rewrite what is shown.

The joiners U+200C and U+200D are not among them: they are part of the spelling of Persian, Hindi and others.
"""


def visible(text: str, *, keep: str = "") -> str:
    r"""Replace unsafe characters by escapes as JSON has them; those in ``keep`` stay as they are.

    A JSON document stays one, with the same content, if its line ends are kept.

    >>> print(visible("a\x1b[2Jb\u202ec\td"))
    a\u001b[2Jb\u202ec\u0009d
    >>> visible("one\ntwo", keep="\n")
    'one\ntwo'
    """
    return UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
