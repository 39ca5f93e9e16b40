"""The compliance cases of the OBO community, from the package oaklib: OBO, and what it means as OWL.

Each case is a small OBO file with the same ontology in OWL, or a file that a reader must refuse.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import ReadError

CASES = Path("oaklib-0.7.4") / "tests" / "input" / "obo-compliance"

# The prefix of an id stands for an address, and these declare two addresses for a prefix, or two prefixes for an
# address. ontomask does not use the addresses of OBO ids, so it reads such a file.
CONFLICTING_PREFIXES = {"expansion-conflict-main-idspace", "prefixes-conflict-main-idspace"}
# The id in OWL is an address of the example's own, not one of the OBO library.
OTHER_ADDRESS = {"prefixes"}


@pytest.fixture
def cases(vocabulary):
    return sorted((vocabulary("oaklib") / CASES).iterdir())


def is_invalid(case):
    return "invalid: true" in (case / f"{case.name}.meta.yaml").read_text(encoding="utf-8")


def read(path, format):
    """The taxonomy, or the code of the error."""
    try:
        return om.read_taxonomy(path, format=format)
    except ReadError as problem:
        return problem.code


def declared(case, folder):
    """A copy of a case in which every term is declared. OWL declares all that a link mentions; OBO need not."""
    text = (case / f"{case.name}.obo").read_text(encoding="utf-8")
    path = folder / f"{case.name}.obo"
    path.write_text(text, encoding="utf-8")
    try:
        om.read_taxonomy(path)
    except ReadError as problem:
        if problem.code == "T103":
            text += "".join(f"\n[Term]\nid: {term}\n" for term in problem.values)
            path.write_text(text, encoding="utf-8")
    return path


def test_valid_cases_mean_the_same_in_owl(cases, tmp_path):
    compared = without_terms = 0
    for case in cases:
        if is_invalid(case) or case.name in OTHER_ADDRESS:
            continue
        ours = read(declared(case, tmp_path), "obo")
        owl = read(case / f"{case.name}.expected.owl", "owl")
        if isinstance(ours, str):
            assert ours == "T105", case.name
            # The OWL file may still declare the domain or range of a relation.
            assert owl == "T105" or case.name in ("typedef-domain", "typedef-range"), case.name
            without_terms += 1
            continue
        assert not isinstance(owl, str), case.name
        compared += 1
        for term in set(ours.ids) - {"⊤"}:
            assert set(ours.parents(term)) - {"⊤"} == set(owl.parents(term)) - {"⊤"}, case.name
            assert ours.labels(term) == owl.labels(term), case.name
        for kind, table in ours.annotations.aliases.items():
            assert dict(table) == dict(owl.annotations.aliases[kind]), case.name
    assert (compared, without_terms) == (56, 30)


def test_withdrawn_terms_are_the_same_in_owl(cases, tmp_path):
    """A live term is added to the cases that have none."""
    for case in cases:
        text = (case / f"{case.name}.obo").read_text(encoding="utf-8")
        if "is_obsolete" not in text:
            continue
        live = tmp_path / f"{case.name}.obo"
        live.write_text(text + "\n[Term]\nid: Z:1\n", encoding="utf-8")
        owl = (case / f"{case.name}.expected.owl").read_text(encoding="utf-8")
        end = "</rdf:RDF>"
        assert end in owl
        extra = '<owl:Class rdf:about="http://purl.obolibrary.org/obo/Z_1"/>'
        other = tmp_path / f"{case.name}.owl"
        other.write_text(owl.replace(end, extra + end), encoding="utf-8")
        ours, theirs = (om.read_taxonomy(path).annotations.retired for path in (live, other))
        assert ours.keys() == theirs.keys() == {"X:1"}
        assert ours["X:1"].replacements == theirs["X:1"].replacements, case.name


def test_invalid_cases_are_refused(cases, tmp_path):
    refused = {
        case.name for case in cases if is_invalid(case) and isinstance(read(declared(case, tmp_path), "obo"), str)
    }
    assert {case.name for case in cases if is_invalid(case)} - refused == CONFLICTING_PREFIXES
    assert len(refused) == 4
