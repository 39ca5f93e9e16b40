from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ontomask.base.grouping import count_holders, group_rows


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 900), st.integers(0, 2)), min_size=1, max_size=60),
    st.booleans(),
)
def test_rows_are_grouped_as_a_dictionary_would(rows, huge):
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    sizes = [4, 2**40 if huge else 901, 3]
    numbers, firsts = group_rows(columns, sizes)
    order = sorted(set(rows))
    assert numbers.tolist() == [order.index(row) for row in rows]
    assert firsts.tolist() == [rows.index(row) for row in order]


def test_many_rows_of_many_combinations_are_grouped_alike():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 3000, 200_000), rng.integers(0, 40_000, 200_000) * 7]
    numbers, firsts = group_rows(columns, [3000, 280_000])
    keys = columns[0] * 280_000 + columns[1]
    distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    assert len(distinct) > 150_000
    assert (numbers == inverse).all()
    assert (firsts == first).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=30))
def test_holders_are_distinct_persons(records):
    value, person = (np.array(column) for column in zip(*records, strict=True))
    assert count_holders(value, 4, None).tolist() == [[v for v, _ in records].count(i) for i in range(4)]
    assert count_holders(value, 4, person).tolist() == [len({p for v, p in records if v == i}) for i in range(4)]
