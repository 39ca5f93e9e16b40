from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ontomask.taxonomy.labels import _normalise_any, normalise


@given(st.text(alphabet="aB9 _-'&\n.", max_size=12))
def test_plain_words_are_normalised_like_any(text):
    assert normalise(text) == _normalise_any(text)
