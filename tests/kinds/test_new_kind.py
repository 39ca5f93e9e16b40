"""A kind of column that the package does not have, in one module: days, which are generalised to weeks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.job.settings import ColumnSettings
from ontomask.kinds import KINDS, Kind
from ontomask.kinds.ordered import OrderedColumn, OrderedKind, OrderedRelease
from ontomask.operators.line import NumericSpace
from ontomask.operators.ranges import ends_of, make_points, make_ranges


def days(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return None


@dataclass(frozen=True)
class Day(OrderedKind):
    name: ClassVar[str] = "day"
    values_in_words: ClassVar[str] = "dates"
    mismatch: ClassVar[str] = "not dates"

    weight: float = 1.0

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        return [text for text in texts if days(text) is None]

    def _encode_texts(self, name, texts, **parts) -> OrderedColumn:
        self._check_texts(name, texts, "Write them as YYYY-MM-DD.")
        point = np.array([0 if text is None else days(text) for text in texts], dtype=np.int32)
        return DayColumn(name, self, point=point, **parts)


@dataclass(frozen=True, eq=False, repr=False)
class DayColumn(OrderedColumn):
    @cached_property
    def space(self) -> NumericSpace:
        known = self.point[~self.kept]
        return NumericSpace(int(known.min()), int(known.max()), self.kind.weight, "median")

    def key(self, point: Any) -> str:
        return str(DayRelease(self).cell(point))

    def points_of_keys(self, keys: Sequence[Any]) -> Any:
        return make_points([DayRelease(self).find(key) for key in keys], self.point.dtype)

    @property
    def outer_ends(self) -> tuple[float, float]:
        return self.space.low // 7 * 7, self.space.high // 7 * 7 + 6

    def _ranges(self, points: Any) -> list[Any]:
        return [make_ranges(points // 7 * 7, points // 7 * 7 + 6)]

    def release(self, spellings: Mapping[Any, object]) -> DayRelease:
        return DayRelease(self)

    @property
    def holds_integers(self) -> bool:
        return True


class DayRelease(OrderedRelease):
    def exact_cell(self, value: Any) -> object:
        return date.fromordinal(int(value)).isoformat()

    def range_text(self, point: complex) -> str:
        return " to ".join(str(self.exact_cell(end[0])) for end in ends_of(np.array([point])))

    def find_value(self, text: str) -> Any:
        ends = [days(end) for end in text.split(" to ")]
        if None in ends or len(ends) > 2:
            return None
        return ends[0] if len(ends) == 1 else complex(make_ranges(*ends))


def table(**options: Any) -> om.Microdata:
    rng = np.random.default_rng(4)
    cells = [date.fromordinal(730_000 + int(n)).isoformat() for n in rng.integers(0, 60, 120)]
    if options:
        cells[::9] = ["?"] * len(cells[::9])
    frame = pd.DataFrame({"seen": cells, "age": rng.integers(20, 60, 120), "ward": rng.choice(["a", "b"], 120)})
    return om.Microdata(frame, {"seen": Day(), "age": om.Numeric()}, confidential={"ward": None}, **options)


METHODS = [
    om.Microaggregation(k=5),
    om.Microaggregation(k=5, variant="mdav"),
    om.Recoding(k=5),
    om.Resampling(k=5),
    *(om.RankSwapping(k=5, algorithm=algorithm) for algorithm in (1, 2, 3)),
    om.Generalisation(k=5),
    om.Generalisation(k=5, mode="full_domain"),
    om.Suppression(k=5, mode="cells"),
]


@pytest.mark.parametrize("options", [{}, {"missing": "keep", "missing_tokens": ["?"]}])
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_methods_evaluation_and_report_take_a_new_kind(method, options):
    data = table(**options)
    result = method.mask(data, seed=1)
    released = set(result.frame["seen"].dropna())
    assert all(data.releases["seen"].find(cell) is not None for cell in released)
    score = om.evaluate(data, result.data)
    assert 0 <= score.semantic_loss <= 1
    # Released text is read back to the same points.
    assert om.evaluate(data, result.frame).semantic_loss == score.semantic_loss
    report = om.build_report(data, result, score)
    assert "dates" in report.to_html()


def test_methods_that_need_concepts_refuse_it():
    with pytest.raises(om.MaskingError):
        om.UncorrelatedNoise(alpha=0.3).mask(table())


def test_cells_that_do_not_fit():
    with pytest.raises(om.TableError) as error:
        om.Microdata(pd.DataFrame({"seen": ["2020-01-01", "yesterday"]}), {"seen": Day()})
    assert (error.value.column, error.value.values) == ("seen", ("yesterday",))


def test_as_confidential_values_they_are_ordered():
    frame = table().frame
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential={"seen": Day()}, other=["ward"])
    score = om.evaluate(data, om.Microaggregation(k=5).mask(data, seed=1).data)
    assert score.confidential["seen"].ground == "ordered"


def test_a_forgotten_method_fails():
    class Forgetful(OrderedColumn):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Forgetful("x", Day(), (), np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(0, bool), np.zeros(0, bool))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_is_described(kind: type[Kind]):
    assert KINDS[kind.name] is kind
    assert kind.values_in_words
    assert kind.mismatch
    assert "weight" in kind.option_names()
    assert "weight" not in kind.option_names(required=True)
    # A job file has a key for each option.
    assert ColumnSettings(role="quasi-identifier", kind=kind.name).kind == kind.name
    assert set(kind.option_names()) <= set(ColumnSettings.model_fields)


@pytest.mark.parametrize("cells", [[1, 2, 4], ["1.50", "2.25", "4.00"], [0.5, -0.25, 3.0]])
def test_released_points_are_those_that_are_read_back(cells):
    column = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Numeric()}).quasi_identifiers["x"]
    release = column.release({})
    points = np.array([*column.point, 7 / 3, -0.001, 2.675])
    assert release.released(points).tolist() == release.points([release.cell(point) for point in points]).tolist()
