"""The open workspaces: each has a folder, a workbench, and at most one long work at a time.

A workspace has an address of its own, so several tabs do not mix tables. Files have names that we choose: the name of a
file on the person's machine is only shown, and never becomes a path.
"""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ontomask.job.page_words import problems_for_page
from ontomask.job.workbench import Workbench
from ontomask.web.tasks import Task

__all__ = ["Problems", "Workspace", "Workspaces"]

Problems = list[tuple[str, str]]
"""Keys of the job, and what is wrong there."""


# The step that begins each work.
_STEPS = {
    "review": "meaning",
    "ontology": "meaning",
    "advice": "protect",
    "compare": "compare",
    "trial": "compare",
    "check": "release",
    "release": "release",
}


def _belongs(task: Task, step: str) -> bool:
    # If the table cannot be read, no step works.
    return task.name == "examine" or _STEPS[task.name] == step


@dataclass(eq=False)
class Workspace:
    """One table and its job.

    Attributes
    ----------
    id
        Its part of the address.
    label
        What the person calls the table; only shown.
    lock
        Held while the job is edited.
    task
        The last long work.
    problems
        What was wrong with the last edit, by key; shown once.
    form
        What the person typed in the last form that was refused.
    choices
        Choices of the person that are no part of the job, such as a filter.
    paths
        Whether files of this machine can be opened by their path.
    """

    id: str
    folder: Path
    label: str
    bench: Workbench
    lock: threading.RLock = field(default_factory=threading.RLock)
    task: Task | None = None
    problems: Problems = field(default_factory=list)
    form: dict[str, str] = field(default_factory=dict)
    choices: dict[str, Any] = field(default_factory=dict)
    paths: bool = True

    @property
    def is_busy(self) -> bool:
        """Whether long work is under way."""
        return self.task is not None and not self.task.is_over

    def start(self, name: str, title: str, work: Callable[[], Any]) -> bool:
        """Begin long work, unless other work is under way. Returns whether it began."""
        with self.lock:
            if self.is_busy:
                return False
            self.task = Task(name, title, work)
            self.task.start()
            return True

    def take_problems(self, step: str) -> tuple[Problems, dict[str, str]]:
        """What was wrong with the last edit, once, and with the last work of this step."""
        problems, form = self.problems, self.form
        self.problems, self.form = [], {}
        task = self.task
        if task is not None and task.state == "failed" and task.error is not None and _belongs(task, step):
            problems = [*problems, *problems_for_page(task.error)]
        return problems, form

    def is_cancelled(self, step: str) -> bool:
        """Whether the last work was cancelled, and this step had begun it."""
        return self.task is not None and self.task.state == "cancelled" and _belongs(self.task, step)

    def path_for(self, stem: str, extension: str) -> Path:
        """A new file in the folder of the workspace."""
        number = 1
        while (path := self.folder / f"{stem}{'' if number == 1 else number}{extension}").exists():
            number += 1
        return path


class Workspaces:
    """All workspaces of a server, in one private folder."""

    def __init__(self, root: Path, *, paths: bool = True) -> None:
        self._root = root
        self.paths = paths
        self._all: dict[str, Workspace] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Any:
        return iter(tuple(self._all.values()))

    def get(self, id: str) -> Workspace | None:
        """A workspace by its id."""
        return self._all.get(id)

    def create(self, label: str = "") -> Workspace:
        """A new workspace with a folder of its own."""
        id = secrets.token_urlsafe(9)
        folder = self._root / f"w{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        made = Workspace(id, folder, label, Workbench(folder), paths=self.paths)
        with self._lock:
            self._all[id] = made
        return made

    def close(self, id: str) -> None:
        """Forget a workspace: stop its work and delete its files."""
        with self._lock:
            found = self._all.pop(id, None)
        if found is not None:
            if found.task is not None:
                found.task.cancel()
                found.task.wait(2)
            shutil.rmtree(found.folder, ignore_errors=True)

    def close_all(self) -> None:
        """Forget all."""
        for each in tuple(self._all):
            self.close(each)
