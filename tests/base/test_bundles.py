"""Bundles: many arrays as one argument of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled, compiled_if_given, compiled_inner


class Inside(Bundle):
    """A bundle in a bundle."""

    factor: Any


class Things(Bundle):
    """All kinds of fields."""

    line: Any
    table: Any
    number: Any
    share: Any
    is_double: Any
    inside: Any
    nothing: Any


@compiled_inner
def _element(things, i, j):
    return things.table[i, j] * things.number * things.inside.factor


def _nothing(_things):
    return 0.0


@compiled_if_given("nothing", _nothing)
def _something(things):
    return things.nothing[0]


@compiled
def _weigh(things):
    """Add the weighted sum of each row of the table to the line."""
    for i in range(things.table.shape[0]):
        for j in range(things.table.shape[1]):
            things.line[i] += _element(things, i, j) * things.share
        if things.is_double:
            things.line[i] *= 2
    return _something(things)


def things(table, **given):
    return Things(
        **{
            "line": np.zeros(len(table)),
            "table": table,
            "number": 3,
            "share": 0.5,
            "is_double": False,
            "inside": Inside(factor=np.int64(7)),
            "nothing": None,
        }
        | given
    )


TABLE = np.arange(6).reshape(2, 3)


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        np.asfortranarray(TABLE),
        np.repeat(TABLE, 2, axis=0)[::2],
        TABLE[:, ::-1],
        TABLE.astype(np.int32),
        TABLE.astype(np.uint8),
        np.broadcast_to(TABLE[0], (2, 3)),
    ],
)
def test_compiled_functions_read_all_fields_and_change_arrays(table):
    bundle = things(table)
    assert _weigh(bundle) == 0
    assert bundle.line.tolist() == (table.sum(axis=1) * 3 * 7 * 0.5).tolist()


def test_flags_empty_arrays_and_fields_that_may_be_none():
    bundle = things(TABLE, is_double=True, nothing=np.array([4.0]))
    assert _weigh(bundle) == 4
    assert bundle.line.tolist() == [63.0, 252.0]
    assert things(np.zeros((0, 3))).line.tolist() == []
    assert _weigh(things(np.zeros((0, 3)))) == 0


def test_types_follow_the_fields():
    same, other = things(TABLE), things(TABLE.astype(np.int32))
    assert same._numba_type_ == things(TABLE + 1, number=4)._numba_type_
    assert same._numba_type_ != other._numba_type_
    assert same._numba_type_ != things(TABLE, nothing=np.zeros(1))._numba_type_


def test_fields_cannot_be_replaced():
    with pytest.raises(AttributeError):
        things(TABLE).number = 4


class Interrupted(Bundle):
    """A bundle whose address cannot be computed, because Ctrl-C comes at that moment."""

    numbers: np.ndarray

    @property
    def _address(self):
        raise KeyboardInterrupt


def test_an_interrupt_before_a_call_ends_it():
    @njit
    def first(bundle):
        return bundle.numbers[0]

    with pytest.raises(KeyboardInterrupt):
        first(Interrupted(np.arange(3.0)))
