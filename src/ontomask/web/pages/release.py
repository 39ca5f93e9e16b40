"""Step 6: the checklist, the release and its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ontomask.job.output_choices import FORMAT_WORDS, FORMULA_WORDS, ORDER_WORDS, change_output, format_of
from ontomask.job.steps import checklist
from ontomask.web.forms import Form
from ontomask.web.workspaces import Workspace

__all__ = ["ACTIONS", "files", "show"]

_SECRET = ("private", "plan")


def show(workspace: Workspace) -> dict[str, Any]:
    """What the page shows."""
    bench = workspace.bench
    run = bench.released
    own = _is_own(workspace)
    outputs = bench.settings.output
    found: dict[str, Any] = {"checks": checklist(bench), "run": run, "own": own, "output": outputs, "job": bench.job}
    extension = format_of(outputs)
    found |= {"extension": extension, "formats": {extension: extension, **FORMAT_WORDS}}
    found |= {"orders": ORDER_WORDS, "formulas": FORMULA_WORDS}
    if run is not None:
        found |= {
            "shared": {what: path for what, path in run.files.items() if what not in _SECRET},
            "secret": {what: path for what, path in run.files.items() if what in _SECRET},
            "headlines": () if run.report is None else run.report.headlines,
        }
    return found


def _is_own(workspace: Workspace) -> bool:
    """Whether all outputs are in the private folder of the workspace, where nothing of anybody else can be replaced."""
    return all(path.parent.resolve() == workspace.folder.resolve() for path in workspace.bench.job.outputs)


def files(workspace: Workspace) -> dict[str, Path]:
    """The files that can be downloaded, by what they are."""
    run = workspace.bench.released
    return {"job": workspace.bench.editor.path} | ({} if run is None else dict(run.files))


def _check(workspace: Workspace, form: Form) -> None:  # noqa: ARG001 (as all actions are called)
    workspace.start("check", "Checking the job", workspace.bench.check)


def _run(workspace: Workspace, form: Form) -> None:
    """Make the release."""
    bench = workspace.bench
    bench.job.check_confirmed(method=True)
    overwrite = _is_own(workspace) or form.has("overwrite")
    workspace.start("release", "Making the release", lambda: bench.release(overwrite=overwrite))


def _output(workspace: Workspace, form: Form) -> None:
    """Say how the masked table is written."""
    given = workspace.bench.settings.output
    workspace.bench.edit(change_output(given, form["format"], form["order"], form["formulas"]))


ACTIONS = {"check": _check, "output": _output, "run": _run}
