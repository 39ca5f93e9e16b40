"""The parts of an error message that are not plain text: settings, suggestions, and words that differ by interface.

A message is kept in parts until somebody shows it. Python, job files and the command line then write it in their way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "LISTED",
    "READ_AS_TEXT",
    "Alternatives",
    "Choice",
    "Setting",
    "Spelling",
    "Wording",
    "given",
    "in_python",
    "join_or",
    "worded",
]


def join_or(texts: Sequence[str]) -> str:
    """Alternatives as text.

    >>> join_or(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


class Setting:
    """A setting that the user can change to solve a problem.

    Python, job files and the command line each spell it in their own way when the text is shown.

    ``path`` is the key in a job file. Its last part is the parameter in Python, and a path of one part has no key in a
    job file. ``values`` are suggestions, and ``about`` is a short explanation.

    >>> str(Setting("policies", "missing", values=["keep", "drop"]))
    "missing='keep' or 'drop'"
    >>> str(Setting("key", about="a column that identifies a record"))
    "'key' (a column that identifies a record)"
    """

    __slots__ = ("about", "path", "values")

    def __init__(self, *path: str, values: Iterable[object] = (), about: str = "") -> None:
        self.path = path
        self.values = tuple(values)
        self.about = about

    @property
    def name(self) -> str:
        """The parameter in Python."""
        return self.path[-1]

    def worded(self, spell: Spelling) -> str:
        """The setting as ``spell`` writes it, with its explanation; empty if ``spell`` has no word for it."""
        text = spell(self)
        return f"{text} ({self.about})" if text and self.about else text

    def __str__(self) -> str:
        return self.worded(in_python)


class Choice:
    """Settings of which one is enough. Those that an interface does not have are left out.

    >>> str(Choice(Setting("key"), Setting("rows")))
    "'key' or 'rows'"
    """

    __slots__ = ("settings",)

    def __init__(self, *settings: Setting) -> None:
        self.settings = settings

    def worded(self, spell: Spelling) -> str:
        """The settings that ``spell`` has a word for."""
        return join_or([text for setting in self.settings if (text := setting.worded(spell))])

    def __str__(self) -> str:
        return self.worded(in_python)


class Wording:
    """A part of a message that Python writes differently from job files and commands.

    >>> str(Wording("True or False", "true or false"))
    'True or False'
    """

    __slots__ = ("elsewhere", "python")

    def __init__(self, python: str, elsewhere: str = "") -> None:
        self.python = python
        self.elsewhere = elsewhere

    def worded(self, spell: Spelling) -> str:
        """The text for Python if ``spell`` is that of Python, else the other one."""
        return self.python if spell is in_python else self.elsewhere

    def __str__(self) -> str:
        return self.python


class Alternatives:
    """A part of a message that names what the user may have meant, or can choose instead.

    >>> str(Alternatives(["tiger"], "Did you mean 'tiger'?"))
    "Did you mean 'tiger'?"
    """

    __slots__ = ("names", "text")

    def __init__(self, names: Iterable[str], text: str | Wording) -> None:
        self.names = tuple(names)
        self.text = text

    def worded(self, spell: Spelling) -> str:
        """The text."""
        return worded(self.text, spell)

    def __str__(self) -> str:
        return str(self.text)


def given(value: object) -> Wording:
    """A value that the user gave, as Python or a job file writes it.

    >>> given(True).python, given(True).elsewhere
    ('True', 'true')
    """
    is_table = isinstance(value, Mapping)
    try:
        text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)
    return Wording(repr(value), "a table" if is_table else text.replace("Infinity", "inf").replace("NaN", "nan"))


READ_AS_TEXT = Wording(
    "Read the column as text, for example with dtype=str.",
    "Make it a column of text in the file, or save the table as .csv, which is read as text.",
)
"""What to do with codes that were read as numbers."""

LISTED = Wording("They are in this error's 'values'.", "'ontomask map' lists them.")
"""Where the user finds the values that a message only counts."""


Spelling = Callable[[Setting], str]
"""How an interface (Python, a job file, the command line) writes a setting; empty if it does not have it."""


def in_python(setting: Setting) -> str:
    """A setting as Python writes it."""
    values = join_or([repr(value) for value in setting.values])
    return f"{setting.name}={values}" if values else repr(setting.name)


def worded(part: object, spell: Spelling) -> str:
    """A part of a message as text. ``spell`` writes the settings in it, also those inside a note."""
    word: Any = getattr(part, "worded", None)
    return str(part) if word is None else word(spell)
