"""`Figure`: a finished picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ontomask.base.atomic import write_atomic
from ontomask.errors import FigureError
from ontomask.figures.markup import clean, coordinate, tag, words

__all__ = ["Figure"]


@dataclass(frozen=True)
class Figure:
    """A picture as SVG text that stands alone: no style sheet, script, font or link is needed to show it.

    Notebooks show it by itself; in a page of HTML the text of ``svg`` can be pasted as it is.

    Attributes
    ----------
    width, height
        Size in pixels.
    title, description
        What the picture shows, for those who cannot see it.
    body
        The markup inside.
    """

    width: float
    height: float
    title: str
    description: str
    body: str = field(repr=False)

    @property
    def svg(self) -> str:
        """The whole picture as one ``<svg>`` element."""
        return (
            tag(
                "svg",
                tag("title", words(self.title)),
                tag("desc", words(self.description)),
                tag("rect", width=self.width, height=self.height, fill="#FFFFFF"),
                self.body,
                xmlns="http://www.w3.org/2000/svg",
                width=self.width,
                height=self.height,
                viewBox=f"0 0 {coordinate(self.width)} {coordinate(self.height)}",
                role="img",
                aria_label=clean(self.title),
                font_family="sans-serif",
            )
            + "\n"
        )

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture to an ``.svg`` file, whole or not at all."""
        path = Path(path).expanduser()
        if path.suffix.lower() != ".svg":
            raise FigureError(f"{path} must end in .svg: pictures are written as SVG, which any browser shows.")
        try:
            write_atomic(path, self.svg.encode())
        except FileNotFoundError:
            raise FigureError(f"{path} cannot be written: there is no folder {path.parent}. Create it first.") from None
        except OSError as problem:
            raise FigureError(f"{path} cannot be written: {problem.strerror or problem}.") from problem
