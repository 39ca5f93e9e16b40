from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.base.text import UNSAFE, cell_text, visible


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, None),
        (math.nan, None),
        ("", None),
        (" a ", "a"),
        (3, "3"),
        (3.0, "3"),
        (np.float64(3), "3"),
        (True, "True"),
        (2.5, "2.5"),
    ],
)
def test_text_of_a_cell(cell, text):
    assert cell_text(cell) == text


@given(st.text())
def test_visible_text_has_no_unsafe_character_and_is_the_same_json(text):
    assert not UNSAFE.search(visible(text))
    document = json.dumps(text, ensure_ascii=False)
    assert json.loads(visible(document)) == text
