"""Date columns: days, months, quarters or years, whose distances are shares of their spread in days."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from ontomask.base.frozen import set_fields
from ontomask.base.notes import Note
from ontomask.errors import Setting, TableError
from ontomask.kinds.calendar import PRECISIONS, Precision, coarser_spans, last_day, read_span, span_text, unit_start
from ontomask.kinds.ordered import OrderedRelease
from ontomask.kinds.public import LineDomain, PublicDomain, grid_points
from ontomask.kinds.scales import Scale, ScaledColumn, ScaledKind
from ontomask.operators.ranges import ends_of, make_ranges
from ontomask.operators.space import Points

__all__ = ["Date", "DateColumn"]

_TIMED = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)", re.ASCII)
_ZONED = re.compile(rf"{_TIMED.pattern}\s*(?:Z|[+-]\d{{2}}:?\d{{2}})", re.ASCII)
# A date that no two parts of a format can be confused for.
_SAMPLE = datetime(2003, 11, 22)
# Two-digit years need a guess at the century; time zones may move a date by a day.
_REFUSED = ("%y", "%z", "%Z")


class _Day(NamedTuple):
    """The day that a cell means, and whether it had a time of day."""

    day: int
    is_timed: bool


@dataclass(frozen=True)
class Date(ScaledKind):
    """A column of dates.

    Cells are dates and timestamps of any table, or texts: ISO 8601 (``2021-03-05``, and with a coarser precision
    ``2021-03``, ``2021-Q1`` or ``2021``), or as ``formats`` describe. The time of day is dropped, and a note says so.
    Times with a time zone are an error.

    Dates are generalised to months, quarters, years, five and ten years, released as ``2021-03``, ``2021-Q1``,
    ``2021``, ``2020-2024`` and ``2020-2029``; finally to a cell that may be any date. A column of dates stays one if
    all released cells are days; otherwise it becomes text.

    Parameters
    ----------
    precision
        How exact the released dates are: ``day``, ``month``, ``quarter`` or ``year``.
    formats
        How dates are written if not in ISO 8601, as for Python's ``strptime``: ``["%d/%m/%Y"]`` for 31/12/2021. The
        year needs four digits.
    weight
        The attribute's weight in distances between records.
    centre
        What a group of dates becomes: the ``mean``, rounded to the precision, or the lower ``median``.
    top
        The text for a cell that may be any value; by default ``*``.
    scale
        What distances in days are divided by: ``sd``, ``iqr`` or ``range``, as for `Numeric`.
    grid
        The first and the last date that the column can be released as, such as ``["2000-01-01", "2030-12-31"]``, where
        a method needs a public domain (`MetricPrivacy`). State it without looking at the data.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"seen": ["05/03/2021", "17/03/2021", "02/11/2021", "30/11/2021"]})
    >>> data = om.Microdata(frame, {"seen": om.Date(formats=["%d/%m/%Y"])})
    >>> om.Generalisation(k=2).mask(data).frame["seen"].tolist()
    ['2021-03', '2021-03', '2021-11', '2021-11']
    >>> om.Microaggregation(k=2).mask(data).frame["seen"].tolist()
    ['2021-03-11', '2021-03-11', '2021-11-16', '2021-11-16']
    """

    name: ClassVar[str] = "date"
    values_in_words: ClassVar[str] = "dates"
    mismatch: ClassVar[str] = "not dates, or can be read in several ways"

    precision: Precision = "day"
    formats: Sequence[str] | None = None
    weight: float = 1.0
    centre: Literal["mean", "median"] = "mean"
    top: str | None = None
    scale: Scale = "sd"
    grid: Sequence[str | date] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.precision not in get_args(Precision):
            listed = ", ".join(get_args(Precision))
            raise TableError(
                f"The 'precision' of Date must be one of {listed}. Got {self.precision!r} instead.",
                parameter="precision",
            )
        if self.formats is not None:
            set_fields(self, formats=self._check_formats(self.formats))
        if self.grid is not None:
            set_fields(self, grid=self._check_grid(self.grid))

    def _check_grid(self, given: Any) -> tuple[str, str]:
        ends = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
        texts = [end.isoformat()[:10] if isinstance(end, date) else end for end in ends]
        spans = [read_span(text) if isinstance(text, str) else None for text in texts]
        if len(spans) != 2 or spans[0] is None or spans[1] is None or spans[0][0] >= spans[1][0]:
            raise TableError(
                "The 'grid' of Date must be the first and the last date, such as 2000-01-01 and 2030-12-31.",
                parameter="grid",
            )
        return texts[0], texts[1]

    def _check_formats(self, given: Any) -> tuple[str, ...]:
        if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(f, str) for f in given):
            raise TableError(
                "The 'formats' of Date must be a list of texts, such as %d/%m/%Y for 31/12/2021.", parameter="formats"
            )
        for text in given:
            refused = [part for part in _REFUSED if part in text]
            if refused:
                raise TableError(
                    f"The 'formats' of Date cannot have {refused[0]}: years need four digits (%Y), and dates have no "
                    f"time zone. Correct the format {text!r}, and the table if necessary.",
                    parameter="formats",
                )
            if not self._recovers(text):
                raise TableError(
                    f"The format {text!r} does not say the {self.precision} of a date, or cannot be read. Write "
                    f"%d for the day, %m for the month and %Y for the year, as in %d/%m/%Y for 31/12/2021. Or choose a "
                    f"coarser 'precision'.",
                    parameter="formats",
                )
        return tuple(given)

    def _recovers(self, text: str) -> bool:
        """Whether a format says everything up to the precision."""
        try:
            found = datetime.strptime(_SAMPLE.strftime(text), text)
        except ValueError:
            return False
        return self.start(found.toordinal()) == self.start(_SAMPLE.toordinal())

    @property
    def months(self) -> int:
        """The number of months of the precision; 0 for a day."""
        return PRECISIONS[self.precision]

    def start(self, day: int) -> int:
        """The first day of the unit of the precision that a day is in."""
        return int(unit_start(np.array([day]), self.months)[0])

    def read(self, text: str) -> _Day | None:
        """The first day of the unit that a cell means; ``None`` if it is not a date, or can be read in several ways."""
        ways = [found for form in self.formats or () if (found := _parse(text, form)) is not None]
        if ways:
            starts = {self.start(found.toordinal()) for found in ways}
            return _Day(starts.pop(), any(found.time() != time() for found in ways)) if len(starts) == 1 else None
        timed = _TIMED.fullmatch(text)
        span = read_span(timed[1] if timed else text)
        if span is None or self.start(span[0]) != self.start(span[1]):
            return None
        return _Day(self.start(span[0]), bool(timed and re.search("[1-9]", timed[2])))

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts that are not dates, or can be read in several ways."""
        return [text for text in texts if self.read(text) is None]

    def _encode_texts(self, name: str, texts: Sequence[str | None], **parts: Any) -> DateColumn:
        self._check_texts(name, texts, *self._hint(name, [text for text in texts if text is not None]))
        read = [None if text is None else self.read(text) for text in texts]
        days = [found.day for found in read if found is not None]
        point = np.array([days[0] if found is None else found.day for found in read], dtype=np.int32)
        is_timed = any(found is not None and found.is_timed for found in read)
        return DateColumn(name, self, point=point, is_timed=is_timed, **self._spread(texts, point, parts), **parts)

    def _hint(self, name: str, texts: Sequence[str]) -> list[object]:
        formats = Setting("columns", name, "formats")
        hint: list[object] = ["Write dates as 2021-12-31, or say how they are written in ", formats]
        hint += [": %d/%m/%Y for 31/12/2021, %m/%d/%Y for 12/31/2021. Two formats must not read a date differently."]
        wrong = self.mismatches(texts)
        if any(_ZONED.fullmatch(text) for text in wrong):
            hint += [" Some have a time zone: convert them to local dates first."]
        spans = [read_span(text) for text in wrong]
        if any(span is not None for span in spans):
            hint += [" Some are longer than a ", self.precision, ": choose a coarser "]
            hint += [Setting("columns", name, "precision"), "."]
        return [*hint, " Declare tokens for missing cells in ", Setting("policies", "missing_tokens"), "."]


def _parse(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


@dataclass(frozen=True, eq=False, repr=False)
class DateColumn(ScaledColumn):
    """Dates; a point is the number of a day. ``is_timed``: cells had a time of day, which is dropped."""

    exact_type = np.int32

    kind: Date
    is_timed: bool

    def notes(self) -> list[Note]:
        """Whether times of day were dropped."""
        text = "The times of day of {column!r} are dropped: only the dates are masked and released."
        return [Note.of("times-dropped", text, column=self.name)] if self.is_timed else []

    def _ranges(self, points: Points) -> list[Points]:
        return [make_ranges(low, high) for low, high in coarser_spans(points, self.kind.months)]

    @cached_property
    def outer_ends(self) -> tuple[float, float]:
        """The first and the last day of the years, at the column's precision."""
        first, last = unit_start(np.array([self.low, self.high]), PRECISIONS["year"]).tolist()
        return first, self.kind.start(last_day(last, PRECISIONS["year"]))

    def nearest(self, day: float) -> int:
        """The unit of the precision that begins nearest to a day, such as a mean; the earlier of two."""
        start = self.kind.start(math.floor(day))
        after = last_day(start, self.kind.months) + 1
        return start if day - start <= after - day else min(after, date.max.toordinal())

    def neighbour(self, value: float, *, up: bool) -> float:
        """The next or the previous unit of the precision: day, month, quarter or year."""
        return last_day(int(value), self.kind.months) + 1 if up else self.kind.start(int(value) - 1)

    def text(self, point: Any) -> str:
        """A date or a range of dates as text."""
        low, high = (end[0] for end in ends_of(np.array([point])))
        if not np.imag(point):
            low = high = self.nearest(low)
        return span_text(int(low), last_day(int(high), self.kind.months))

    def find(self, text: str) -> Any:
        """The date or the range of dates that a text means; ``None`` if it means none."""
        exact = self.kind.read(text)
        if exact is not None:
            return exact.day
        span = read_span(text)
        return None if span is None else complex(make_ranges(*map(self.kind.start, span)))

    def public_domain(self, distance: Any) -> PublicDomain:  # noqa: ARG002
        """The units of the precision in the grid that the user stated."""
        first, last = grid_points(self, self.kind.grid)
        (low, _), (high, _) = read_span(first) or (0, 0), read_span(last) or (0, 0)
        days = np.unique(unit_start(np.arange(self.kind.start(low), high + 1), self.kind.months)).astype(np.int32)
        return LineDomain(self.name, days, DateRelease(self), "share of the grid in days", True, days.astype(np.int64))

    def line_key(self, point: Any) -> str:
        """The date or range as text."""
        return self.text(point)

    def line_point(self, key: Any) -> Any:
        """The day or range of a text."""
        return self.find(key)

    def meanings(self, text: str) -> Iterator[int]:
        """The date that the text is."""
        found = self.kind.read(text)
        return iter(() if found is None else (found.day,))

    def release(self, spellings: Mapping[Any, object]) -> DateRelease:  # noqa: ARG002
        """Dates in ISO 8601, or as dates of the table."""
        return DateRelease(self)


class DateRelease(OrderedRelease):
    """Days as dates or timestamps if the table has such; everything else as text in ISO 8601."""

    _column: DateColumn

    def __init__(self, column: DateColumn) -> None:
        super().__init__(column)
        cells = [column.cells[i] for i in column.live]
        self._type = next((kind for kind in (datetime, date) if all(isinstance(cell, kind) for cell in cells)), None)

    def exact_cell(self, value: Any) -> object:
        """The date, rounded to the precision."""
        if self._type is None or self._column.kind.precision != "day":
            return self.exact_text(value)
        day = date.fromordinal(self._column.nearest(value))
        return datetime.combine(day, time()) if self._type is datetime else day

    def exact_text(self, value: Any) -> str:
        """The date as text."""
        return self._column.text(value)

    def range_text(self, point: complex) -> str:
        """The range as text."""
        return self._column.text(point)

    def find_value(self, text: str) -> Any:
        """The date or the range of dates that a text means."""
        return self._column.find(text)

    def find_foreign(self, text: str) -> Any:
        """As for other kinds; and ``2021-03-**`` stands for a month, ``2021-**-**`` for a year."""
        known = text.rstrip("*-")
        return self.find_value(known) if known and text.endswith("*") else super().find_foreign(text)
