"""The codes that a ClaML file describes by modifiers instead of writing them out.

``E10`` is modified by ``.0`` (with coma), ``.1`` (with ketoacidosis): the codes are ``E10.0``, ``E10.1``. A modifier
whose characters have no dot extends the codes below the class: ``I70.0`` and ``0`` make ``I70.00``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ontomask.errors import ReadError

__all__ = ["ClamlClass", "Modification", "expand"]

# Far more than any classification has; a small file must not expand without end.
_MOST_ADDED = 1_000_000


@dataclass
class Modification:
    """The modifier of a class. ``valid`` are the characters that apply; empty: all."""

    modifier: str
    valid: list[str] = field(default_factory=list)


@dataclass
class ClamlClass:
    """A class with links as pairs of code and line."""

    code: str
    kind: str
    line: int
    labels: list[str] = field(default_factory=list)
    supers: list[tuple[str, int]] = field(default_factory=list)
    subs: list[tuple[str, int]] = field(default_factory=list)
    modified_by: list[Modification] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)


def expand(
    path: Path,
    classes: dict[str, ClamlClass],
    modifier_classes: Mapping[str, Mapping[str, str]],
    links: Mapping[tuple[str, str], int],
) -> tuple[dict[tuple[str, str], int], int]:
    """Add the codes of modifiers to ``classes``. Returns their links, and how many codes have no place for one."""
    children: dict[str, list[str]] = {}
    for child, parent in links:
        children.setdefault(parent, []).append(child)
    added: dict[tuple[str, str], int] = {}
    left_out = 0
    for code, item in list(classes.items()):
        for change in item.modified_by:
            options = modifier_classes.get(change.modifier)
            if options is None:
                raise ReadError(
                    f"The class {code!r} is modified by {change.modifier!r}, which is not declared. Use the complete "
                    f"file.",
                    path=path,
                    line=item.line,
                    code="T103",
                    values=[change.modifier],
                )
            chosen = {end: label for end, label in options.items() if not change.valid or end in change.valid}
            has_dot = any(end.startswith(".") for end in chosen)
            for target in _targets(code, change.modifier, classes, children, has_dot=has_dot):
                if not has_dot and "." not in target:
                    left_out += 1
                    continue
                for end, label in chosen.items():
                    if len(added) >= _MOST_ADDED:
                        raise ReadError(
                            f"The modifiers make more than {_MOST_ADDED:,} codes. Check that the file is a "
                            f"classification, or leave modifiers out.",
                            path=path,
                            line=item.line,
                            code="expansion",
                        )
                    new = target + end
                    if new in classes:
                        continue
                    base = classes[target].labels[:1] or [target]
                    classes[new] = ClamlClass(new, item.kind, item.line, [f"{base[0]}: {label}"])
                    children.setdefault(target, []).append(new)
                    added[new, target] = item.line
    return added, left_out


def _targets(
    code: str,
    modifier: str,
    classes: Mapping[str, ClamlClass],
    children: Mapping[str, list[str]],
    *,
    has_dot: bool,
) -> list[str]:
    """The codes that a modifier of a class extends: those without a dot, or the lowest ones."""
    found: list[str] = []
    seen = {code}
    queue = [code]
    while queue:
        here = queue.pop()
        if modifier in classes[here].excluded:
            continue
        below = [child for child in children.get(here, ()) if child in classes and child not in seen]
        if has_dot and classes[here].kind not in ("chapter", "block"):
            if "." not in here:
                found.append(here)
            continue
        if not below and not has_dot:
            found.append(here)
        seen.update(below)
        queue.extend(reversed(below))
    return found
