"""Charts as SVG text: lines, bars, points and trees, one or several in a figure.

Build a chart from numbers and names, then draw it: ``LineChart([...]).figure().save("picture.svg")``.
"""

from __future__ import annotations

from ontomask.figures.bars import BarChart, Bars
from ontomask.figures.chart import Chart, small_multiples
from ontomask.figures.lines import Line, LineChart
from ontomask.figures.scatter import Points, ScatterChart
from ontomask.figures.svg import Figure
from ontomask.figures.tree import Tree

__all__ = [
    "BarChart",
    "Bars",
    "Chart",
    "Figure",
    "Line",
    "LineChart",
    "Points",
    "ScatterChart",
    "Tree",
    "small_multiples",
]
