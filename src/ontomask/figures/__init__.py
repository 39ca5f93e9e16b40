"""Pictures as SVG text that stands alone: lines, bars, points, matrices and trees, one or several in a figure.

Build a chart from plain numbers and names, then draw it: ``LineChart([...]).figure().save("picture.svg")``.
"""

from __future__ import annotations

from ontomask.figures.bars import BarChart, Bars
from ontomask.figures.chart import Chart, small_multiples
from ontomask.figures.figure import Figure
from ontomask.figures.heatmap import Heatmap
from ontomask.figures.lines import Line, LineChart
from ontomask.figures.scatter import Points, ScatterChart
from ontomask.figures.tree import Tree

__all__ = [
    "BarChart",
    "Bars",
    "Chart",
    "Figure",
    "Heatmap",
    "Line",
    "LineChart",
    "Points",
    "ScatterChart",
    "Tree",
    "small_multiples",
]
