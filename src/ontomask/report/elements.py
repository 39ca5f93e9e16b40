"""Elements of a page. Every text goes through `words`, which escapes it; what is called markup is markup already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ontomask.figures import Figure
from ontomask.figures.markup import tag, words

__all__ = ["Pictures", "bullets", "heading", "paragraph", "rows", "table"]


def paragraph(text: str, class_: str = "") -> str:
    """A paragraph of text."""
    return tag("p", words(text), **({"class_": class_} if class_ else {}))


def heading(text: str) -> str:
    """A heading below that of a section."""
    return tag("h3", words(text))


def bullets(texts: Iterable[str]) -> str:
    """A list of texts; nothing where there is none."""
    listed = [tag("li", words(text)) for text in texts]
    return tag("ul", *listed) if listed else ""


def rows(lines: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Rows of a table: the first cell of each names it; the columns in ``numbers`` are set to the right."""
    return "".join(
        tag(
            "tr",
            *(
                tag("th", words(cell), scope="row") if i == 0 else _cell("td", cell, right=i in numbers)
                for i, cell in enumerate(line)
            ),
        )
        for line in lines
    )


def table(
    caption: str, titles: Sequence[str], *bodies: tuple[str, str], numbers: Sequence[int] = (), short: bool = False
) -> str:
    """A table of one or several bodies: the heading of each (or nothing), and the markup of its rows.

    A ``short`` one takes no more of the page's width than it needs.
    """
    head = tag("tr", *(_cell("th", title, right=i in numbers, scope="col") for i, title in enumerate(titles)))
    parts = []
    for title, markup in bodies:
        above = tag("tr", tag("th", words(title), scope="rowgroup", colspan=len(titles))) if title else ""
        parts.append(tag("tbody", above + markup, **({"class_": "group"} if title else {})))
    inside = tag(
        "table", tag("caption", words(caption)), tag("thead", head), *parts, **({"class_": "short"} if short else {})
    )
    return tag("div", inside, class_="scroll")


def _cell(name: str, text: str, *, right: bool, **attributes: str) -> str:
    return tag(name, words(text), **({"class_": "number"} if right else {}), **attributes)


@dataclass
class Pictures:
    """Numbers the figures of a page as they come."""

    number: int = 0

    def show(self, picture: Figure, text: str, note: str = "") -> str:
        """A figure under its caption."""
        self.number += 1
        caption = tag("b", f"Figure {self.number}.") + " " + words(text)
        if note:
            caption += " " + tag("span", words(note), class_="quiet")
        return tag("figure", tag("figcaption", caption), picture.svg)
