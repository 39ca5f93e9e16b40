from __future__ import annotations

import copy
import pickle

import pytest

from ontomask.base.notes import Cells, Note, join_names


def test_notes_are_text_with_fields():
    note = Note.of("seen", "{n:,} of {column!r}: {cells}", n=1200, column="{x}", cells=Cells("{x}", ["a", "b", "{c}"]))
    assert isinstance(note, str)
    assert note == "1,200 of '{x}': (3 withheld)"
    named = note.redacted(lambda column, value: value != "a")
    assert named == "1,200 of '{x}': 'b', '{c}' and (withheld)"
    assert (named.values["cells"].values, named.values["cells"].withheld) == (("b", "{c}"), 1)
    assert [pickle.loads(pickle.dumps(named)), copy.deepcopy(named)] == [named, named]
    assert pickle.loads(pickle.dumps(named)).code == "seen"
    # What was withheld does not come back.
    assert named.redacted(lambda column, value: True) == named
    assert repr(note.values["cells"]) == "<Cells of '{x}': 3 values>"


@pytest.mark.parametrize(("columns", "listed"), [(1, 1), (8, 8), (9, 4), (40, 4)])
def test_a_sentence_lists_few_columns_and_counts_the_others(columns, listed):
    names = [f"column{number}" for number in range(columns)]
    text = join_names(names)
    assert [name for name in names if name in text.replace(",", "").split()] == names[:listed]
    assert (str(columns - listed) in text.split()) == (columns > listed)
