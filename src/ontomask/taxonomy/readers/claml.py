"""Classifications in ClaML (EN 14463): ICD-10 of WHO, and national ones such as ICD-10-GM, OPS and CIM-10.

Links are the ``SuperClass`` and ``SubClass`` of each ``Class``. Labels are the preferred rubric, then the inclusions.
Ids are the codes; a chapter is ``Chapter I``, because the number alone is more likely to be data. Codes without their
dot are aliases.

Some codes are not written out: a ``Modifier`` has the last characters that all classes with ``ModifiedBy`` share. They
are added here. Characters with a dot (``.0``) belong to the class itself, others to the codes below it (I70.0 + 0).
`ontomask.taxonomy.readers.claml_modifiers` has the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.claml_modifiers import ClamlClass, Modification, expand
from ontomask.taxonomy.readers.source import check_option, file_title, head
from ontomask.taxonomy.readers.xml_stream import XmlReader
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import Finding, fail

__all__ = ["can_read", "read"]

_PREFERRED = ("preferred", "preferredLong")
_INCLUSION = "inclusion"
_LICENCE = (
    "The classification is under the terms of its publisher; ICD-10 is © World Health Organization. Check the terms "
    "before you share its texts."
)
# Elements of a label that are not part of the term.
_REFERENCES = ("Reference", "IncludeDescendants")


def can_read(path: Path) -> bool:
    """Whether the file is XML with the root element ``ClaML``."""
    return "<ClaML" in head(path)


def read(path: Path, *, language: str | None = None, inclusions: bool = True, modifiers: bool = True) -> Taxonomy:
    """Read a classification.

    Parameters
    ----------
    language
        The language of the labels, such as ``en``. By default all labels are used.
    inclusions
        Whether inclusion terms are labels too.
    modifiers
        Whether codes that are only described by modifiers are added.
    """
    check_option(path, "language", language, example="en", optional=True)
    found = _Classes(path, language, inclusions)
    found.run()
    if not found.classes:
        fail("T105", "The file has no classes. Check that it is ClaML.", path=path)
    links = _links(found)
    left_out = 0
    if modifiers:
        added, left_out = expand(path, found.classes, found.modifier_classes, links)
        links |= added
    ids = {code: f"Chapter {code}" if c.kind == "chapter" else code for code, c in found.classes.items()}
    children = {child for child, _ in links}
    tops = [code for code in found.classes if code not in children]
    root = found.title if len(tops) > 1 and found.title and found.title not in ids.values() else ""
    taxonomy = Taxonomy.from_edges(
        [*((ids[c], ids.get(p, p)) for c, p in links), *((ids[top], root) for top in tops if root)],
        {ids[code]: list(c.labels) for code, c in found.classes.items() if c.labels},
        concepts=[*([root] if root else []), *ids.values()],
        annotations=Annotations(
            name=found.title or file_title(path),
            licence=_LICENCE,
            code_ids=True,
            aliases={"undotted code": _undotted(ids)},
        ),
        path=path,
        lines=[*links.values(), *(found.classes[top].line for top in tops if root)],
    )
    if not left_out:
        return taxonomy
    many = "1 code has" if left_out == 1 else f"{left_out:,} codes have"
    text = f"{many} optional last characters that were not added, because the code has no place for them"
    return replace(taxonomy, notes=(*taxonomy.notes, Finding("T133", text)))


def _undotted(ids: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    plain = {code.replace(".", ""): (code,) for code in ids if "." in code}
    return {code: concept for code, concept in plain.items() if code not in ids}


def _links(found: _Classes) -> dict[tuple[str, str], int]:
    """Child, parent and line. A link that both classes state counts once."""
    links: dict[tuple[str, str], int] = {}
    for code, item in found.classes.items():
        for parent, line in item.supers:
            links.setdefault((code, parent), line)
        for child, line in item.subs:
            if child not in found.classes:
                message = f"The subclass {child!r} of {code!r} is not declared. Use the complete file."
                fail("T103", message, path=found.path, line=line, values=[child])
            links.setdefault((child, code), line)
    return links


class _Classes(XmlReader):
    """The classes and modifier classes of a file."""

    def __init__(self, path: Path, language: str | None, inclusions: bool) -> None:
        super().__init__(path)
        self.title = ""
        self.classes: dict[str, ClamlClass] = {}
        self.modifier_classes: dict[str, dict[str, str]] = {}
        self._language = language
        self._kinds = (*_PREFERRED, _INCLUSION) if inclusions else _PREFERRED
        self._class: ClamlClass | None = None
        self._modifier: tuple[str, str] | None = None
        self._rubric = ""
        self._text: list[str] = []
        self._collecting = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Class":
            code = self.required(name, attributes, "code")
            if code in self.classes:
                raise ReadError(
                    f"The class {code!r} is declared twice. Remove one of them.",
                    path=self.path,
                    line=self.line,
                    code="T104",
                    values=[code],
                )
            self._class = self.classes[code] = ClamlClass(code, attributes.get("kind", ""), self.line)
        elif name == "ModifierClass":
            self._modifier = (self.required(name, attributes, "modifier"), self.required(name, attributes, "code"))
        elif name == "Rubric":
            self._rubric = attributes.get("kind", "")
        elif name == "Label":
            if self._rubric in self._kinds and (self._class or self._modifier) and self._is_wanted(attributes):
                self._text = []
                self._collecting = True
                self.collect(self._text)
        elif self._collecting:
            # Words of two elements do not belong together. Those of a reference do not belong to the term.
            self._text.append(" ")
            self.collect(None if name in _REFERENCES else self._text)
        elif name == "Title":
            self.title = attributes.get("name", "").strip()
        elif self._class:
            self._add(self._class, name, attributes)

    def _is_wanted(self, attributes: dict[str, str]) -> bool:
        return self._language is None or attributes.get("xml:lang", self._language) == self._language

    def _add(self, item: ClamlClass, name: str, attributes: dict[str, str]) -> None:
        if name == "SuperClass":
            item.supers.append((self.required(name, attributes, "code"), self.line))
        elif name == "SubClass":
            item.subs.append((self.required(name, attributes, "code"), self.line))
        elif name == "ModifiedBy":
            item.modified_by.append(Modification(self.required(name, attributes, "code")))
        elif name == "ValidModifierClass" and item.modified_by:
            item.modified_by[-1].valid.append(self.required(name, attributes, "code"))
        elif name == "ExcludeModifier":
            item.excluded.append(self.required(name, attributes, "code"))

    def end(self, name: str) -> None:
        if name == "Class":
            self._class = None
        elif name == "ModifierClass":
            self._modifier = None
        elif name == "Rubric":
            self._rubric = ""
        elif self._collecting:
            if name != "Label":
                self._text.append(" ")
                self.collect(self._text)
                return
            self._collecting = False
            self.collect(None)
            self._label(" ".join("".join(self._text).split()))

    def _label(self, text: str) -> None:
        if not text:
            return
        if self._modifier:
            modifier, code = self._modifier
            if self._rubric in _PREFERRED:
                self.modifier_classes.setdefault(modifier, {}).setdefault(code, text)
        elif self._class:
            labels = self._class.labels
            if self._rubric == _PREFERRED[0]:
                labels.insert(0, text)
            else:
                labels.append(text)
