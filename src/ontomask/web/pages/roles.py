"""Step 2: what each column is."""

from __future__ import annotations

from typing import Any

from ontomask.errors import OntomaskError
from ontomask.job.column_roles import KIND_WORDS, ROLE_WORDS, change_column, column_rows
from ontomask.job.editing import REMOVE
from ontomask.web.forms import Form
from ontomask.web.workspaces import Workspace

__all__ = ["ACTIONS", "show"]


def show(workspace: Workspace) -> dict[str, Any]:
    """What the page shows."""
    bench = workspace.bench
    rows = column_rows(bench.editor.content, bench.draft)
    return {
        "rows": rows,
        "roles": ROLE_WORDS,
        "kinds": KIND_WORDS,
        "positions": {name: number for number, name in enumerate(bench.settings.columns)},
        "masked": [row.name for row in rows if row.role == "quasi-identifier"],
        "undecided": [row.name for row in rows if row.role == "undecided"],
        "unconfirmed": sum(not row.confirmed for row in rows),
    }


def _names(workspace: Workspace) -> list[str]:
    return list(workspace.bench.settings.columns)


def _set_one(workspace: Workspace, form: Form) -> None:
    """Give one column another role or kind."""
    names = _names(workspace)
    name = names[form.position("column", len(names))]
    _change(workspace, [name], form.get("role") or None, form.get("kind") or None)


def _set_many(workspace: Workspace, form: Form) -> None:
    """Give all ticked columns the same role."""
    names = _names(workspace)
    ticked = [names[int(text)] for text in form.all("ticked") if text.isdecimal() and int(text) < len(names)]
    if not ticked:
        raise OntomaskError("Tick the columns first.", parameter="ticked", code="none-ticked")
    _change(workspace, ticked, form["role"], form.get("kind") or None)


def _change(workspace: Workspace, names: list[str], role: str | None, kind: str | None) -> None:
    bench = workspace.bench
    if (role is not None and role not in ROLE_WORDS) or (kind is not None and kind not in KIND_WORDS):
        raise OntomaskError("There is no such role. Load the page again.", parameter="role", code="bad-form")
    content = bench.editor.content
    changes: dict[tuple[str, ...], Any] = {}
    for name in names:
        changes |= change_column(content, bench.draft, name, role=role, kind=kind)
    bench.edit(changes)


def _person(workspace: Workspace, form: Form) -> None:
    """Say whether an identifier tells the persons apart, who may have several rows, and whether it gets pseudonyms."""
    names = _names(workspace)
    name = names[form.position("column", len(names))]
    is_person = form.has("person")
    changes: dict[tuple[str, ...], Any] = {
        ("columns", other, "person"): REMOVE
        for other, column in workspace.bench.settings.columns.items()
        if column.person and other != name
    }
    changes["columns", name, "person"] = True if is_person else REMOVE
    changes["columns", name, "pseudonyms"] = True if is_person and form.has("pseudonyms") else REMOVE
    workspace.bench.edit(changes)


def _follow(workspace: Workspace, form: Form) -> None:
    """Say which masked column another one follows."""
    names = _names(workspace)
    name, leader = (names[form.position(key, len(names))] for key in ("column", "to"))
    workspace.bench.edit({("columns", name, "to"): leader})


def _weights(workspace: Workspace, form: Form) -> None:
    """Say whether each group gets its mean weight."""
    names = _names(workspace)
    name = names[form.position("column", len(names))]
    workspace.bench.edit({("columns", name, "average_weights"): REMOVE if form.has("average") else False})


def _confirm(workspace: Workspace, form: Form) -> str:  # noqa: ARG001 (as all actions are called)
    workspace.bench.confirm_roles()
    return "meaning"


ACTIONS = {
    "set": _set_one,
    "many": _set_many,
    "person": _person,
    "follow": _follow,
    "weights": _weights,
    "confirm": _confirm,
}
