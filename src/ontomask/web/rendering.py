"""Pages from Jinja2 templates that escape every text."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ontomask.base.text import readable, visible
from ontomask.errors import worded
from ontomask.figures import Figure
from ontomask.job.page_words import place_of, spell_for_page
from ontomask.job.toml_text import dotted_key
from ontomask.web.gate import BASE

__all__ = ["render"]


def render(template: str, **context: Any) -> str:
    """A page or a part of one."""
    return _environment().get_template(template).render(**context)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ontomask.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"svg": _svg, "block": _block, "exact": _exact}
    environment.filters |= {"number": _number, "percent": _percent, "readable": readable, "advice": _advice}
    environment.globals |= {"key": dotted_key, "place": place_of, "base": BASE}
    return environment


def _printable(value: object) -> object:
    """Text without line ends and unsafe characters; Jinja escapes it afterwards. Markup stays as it is."""
    return value if isinstance(value, Markup) else visible(" ".join(str(value).splitlines()))


def _advice(note: str) -> str:
    return str(worded(note, spell_for_page))


def _svg(figure: Figure) -> Markup:
    return Markup(figure.svg)


def _block(text: str) -> Markup:
    """A text of several lines, escaped. The first newline after a tag would be lost."""
    return Markup("\n") + escape(visible(text, keep="\n"))


def _exact(text: str) -> Markup:
    """A text for an attribute, character by character, so that a form sends it back as it was."""
    return Markup(re.sub(r"[\x00-\x1f]", lambda found: f"&#{ord(found[0])};", str(escape(text))))


def _number(value: float) -> str:
    return f"{value:,}"


def _percent(share: float) -> str:
    shown = 100 * share
    return f"{shown:.0f} %" if shown >= 1 or shown == 0 else "< 1 %"
