"""Docstrings as the API pages need them: examples shown as code, public names as links.

Loaded by mkdocstrings (see mkdocs.yml) through Griffe, the library that reads the sources.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Module, Object

_PROMPT = re.compile(r"\n\n(?=>>> )")
_SECTION = re.compile(r"^Examples\n-+$", re.MULTILINE)
_NAME = re.compile(r"(?<!`)`(?:ontomask\.)?(\w+)`(?!`)")


# Public functions with the names of modules.
_MODULES = (
    "ontomask.comparison.advice",
    "ontomask.comparison.compare",
    "ontomask.distance",
    "ontomask.taxonomy.validate",
)


class ReadableDocstrings(Extension):
    """Gives bare examples the heading by which they are told from text, and links to public names."""

    def on_package(self, *, pkg: Module, **kwargs: Any) -> None:  # noqa: ARG002 (as Griffe calls it)
        """Go through all that was read."""
        public = {str(name): _place(pkg, str(name)) for name in pkg.exports or ()}
        _improve(pkg, public)


def _place(pkg: Module, name: str) -> str:
    """Where the pages find a public name: some functions are called as the modules they live in."""
    member = pkg.members.get(name)
    module = member is not None and (member.target_path if member.is_alias else member.path)
    return f"{module}.{name}" if module and module in _MODULES else f"{pkg.path}.{name}"


def _improve(obj: Object, public: dict[str, str]) -> None:
    if obj.docstring is not None:
        text = obj.docstring.value
        if not _SECTION.search(text):
            text = _PROMPT.sub("\n\nExamples\n--------\n", text, count=1)
        obj.docstring.value = "\n".join(_linked(line, public) for line in text.split("\n"))
    for member in obj.members.values():
        if not member.is_alias:
            _improve(member, public)


def _linked(line: str, public: dict[str, str]) -> str:
    """A line of text in which public names are links; lines of examples stay as they are."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    return _NAME.sub(lambda found: f"[{found[0]}][{public[found[1]]}]" if found[1] in public else found[0], line)
