"""Wordnets in WN-LMF."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import pytest

import ontomask as om
from ontomask.errors import ReadError

from support.errors import raises
from support.release_files import WN_LMF


def test_synsets_words_and_senses(write):
    t = om.read_taxonomy(write(WN_LMF, "pets.xml"), glosses=True, parts=True)
    assert t.ids == ("pets-1-n", "pets-2-n", "pets-3-n", "pets-4-n")
    assert t.labels("pets-2-n") == ("hound", "dog")
    assert t.find("dog") == ["pets-2-n", "pets-3-n"]
    assert (t.parents("pets-3-n"), t.parents("pets-4-n")) == (("pets-1-n",), ("pets-2-n",))
    assert (t.find_alias("i2"), t.find_alias("in")) == (("interlingual id", ["pets-2-n"]), None)
    assert t.find_alias("dog.n.02") == ("sense", ["pets-3-n"])
    known = t.annotations
    assert (known.name, known.licence) == ("Pets 2", "CC BY")
    assert known.glosses == {"pets-1-n": "a living thing", "pets-2-n": "a pet & friend"}
    assert known.parts == {"pets-2-n": ("pets-4-n",)}
    assert known.counts == {"pets-2-n": 43, "pets-3-n": 2}


def test_the_order_of_senses_may_be_given(write):
    old, new = 'id="pets-dog-n-1" synset', 'id="pets-dog-n-1" n="7" synset'
    assert om.read_taxonomy(write(WN_LMF.replace(old, new), "pets.xml")).find("dog") == ["pets-3-n", "pets-2-n"]


def test_another_part_of_speech_and_lexicon(write):
    path = write(WN_LMF, "pets.xml")
    assert om.read_taxonomy(path, pos="v").labels("pets-5-v") == ("dog",)
    with raises(ReadError, parameter="pos"):
        om.read_taxonomy(path, pos="a")
    with raises(ReadError, parameter="lexicon"):
        om.read_taxonomy(path, lexicon="cats")
    both = write(WN_LMF.replace("</LexicalResource>", '<Lexicon id="b"/></LexicalResource>'), "both.xml")
    with raises(ReadError, parameter="lexicon"):
        om.read_taxonomy(both)
    assert len(om.read_taxonomy(both, lexicon="pets")) == 4


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('target="pets-1-n"/>\n', 'target="pets-9-n"/>\n', "T103"),
        ('<Synset id="pets-4-n"', '<Synset id="pets-3-n"', "T104"),
        ('<Lemma writtenForm="cad"', '<Lemma written="cad"', "no-attribute"),
        (
            '<SynsetRelation relType="hyponym" target="pets-3-n"/>',
            '<SynsetRelation relType="hyponym"/>',
            "no-attribute",
        ),
        (
            '</Definition>\n  <SynsetRelation relType="hypernym"',
            '</Def>\n  <SynsetRelation relType="hypernym"',
            "syntax",
        ),
        (
            'SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.4.dtd"',
            '[<!ENTITY a SYSTEM "b">]',
            "external-entity",
        ),
    ],
)
def test_errors_have_the_line(write, old, new, code):
    path = write(WN_LMF.replace(old, new, 1), "pets.xml")
    line = WN_LMF[: WN_LMF.index(old)].count("\n") + 1
    with raises(ReadError, code=code, line=line, path=path):
        om.read_taxonomy(path, format="wn_lmf")


def test_the_test_files_of_wn(vocabulary):
    folder = vocabulary("wn") / "wn-1.1.1" / "tests" / "data"
    english = om.read_taxonomy(folder / "mini-lmf-1.0.xml", lexicon="test-en")
    assert english.subsumers("test-en-0005-n") == {f"test-en-000{n}-n" for n in (1, 2, 4, 5)} | {english.root}
    assert english.labels("test-en-0002-n") == ("example", "illustration")
    assert english.find("random sample") == ["test-en-0005-n", "test-en-0008-n"]
    with raises(ReadError, code="no-links"):
        om.read_taxonomy(folder / "mini-lmf-1.1.xml")
    ordered = om.read_taxonomy(folder / "mini-lmf-1.4.xml")
    assert ordered.labels("test-1.4-1") == ("Foo Bar", "foo bar", "baz", "BAZ", "Baz")
    assert ordered.find("foo bar")[0] == "test-1.4-2"


def test_a_part_of_wordnet(tmp_path):
    """A part of the embedded WordNet, written as WN-LMF, is the same taxonomy."""
    wordnet = om.load_wordnet().domain("animal.n.01")
    path = tmp_path / "wordnet.xml"
    entries: dict[str, list[str]] = {}
    for concept in wordnet.ids:
        for word in wordnet.labels(concept):
            entries.setdefault(word, []).append(concept)
    with path.open("w", encoding="utf-8") as file:
        file.write('<LexicalResource><Lexicon id="wn" label="WordNet" version="3.0" license="x">\n')
        for number, word in enumerate(entries):
            file.write(f'<LexicalEntry id="e{number}"><Lemma writtenForm={quoteattr(word)} partOfSpeech="n"/>')
            # The senses of a word include those of its other spellings.
            order = wordnet.find(word)
            file.writelines(
                f'<Sense id="s{number}-{c}" synset={quoteattr(c)} n="{order.index(c) + 1}"/>' for c in entries[word]
            )
            file.write("</LexicalEntry>\n")
        number_of = {word: number for number, word in enumerate(entries)}
        for concept in wordnet.ids:
            members = " ".join(f"e{number_of[word]}" for word in wordnet.labels(concept))
            file.write(f'<Synset id={quoteattr(concept)} partOfSpeech="n" members="{members}">')
            file.writelines(
                f'<SynsetRelation relType="hypernym" target={quoteattr(parent)}/>'
                for parent in wordnet.parents(concept)
            )
            file.write("</Synset>\n")
        file.write("</Lexicon></LexicalResource>\n")
    again = om.read_taxonomy(path)
    assert set(again.ids) == set(wordnet.ids)
    assert all(set(again.parents(c)) == set(wordnet.parents(c)) for c in wordnet.ids)
    assert all(again.labels(c) == wordnet.labels(c) for c in wordnet.ids)
    for word in ("tiger", "bass", "puppy", "dog", "Lassie"):
        assert again.find(word) == wordnet.find(word)
