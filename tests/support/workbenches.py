"""Workbenches for tests: the server without a network, and tables that people really have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ontomask.web.app import make_app, takes_file
from ontomask.web.gate import BASE, Gate
from ontomask.web.workspaces import Workspace, Workspaces

from support.asgi import Answer, Client

__all__ = ["HOST", "HOSTILE", "OBO", "Desk", "dirty_csv", "hostile_csv", "problems_in", "small_csv"]

HOST = "127.0.0.1:8000"

HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}</textarea><script>alert(2)</script>\u202e"

OBO = """format-version: 1.2

[Term]
id: S:1
name: symptom

[Term]
id: S:2
name: pain
is_a: S:1

[Term]
id: S:3
name: headache
def: "Pain in the <b>head</b>." [book:1]
is_a: S:2

[Term]
id: S:4
name: backache
is_a: S:2

[Term]
id: S:5
name: rash <script>alert(3)</script>
is_a: S:1
"""


def small_csv(records: int = 60) -> str:
    """A small clean table."""
    towns, pains = ("Ely", "Rye", "Bath"), ("headache", "backache", "toothache")
    rows = [f"P{i},{20 + i % 12},{towns[i % 3]},{pains[i % 3]},{1000 + i}" for i in range(records)]
    return "\n".join(["patient id,age,town,pain,income", *rows]) + "\n"


def dirty_csv(records: int = 80) -> bytes:
    """Semicolons, Latin-1, decimal commas, misspelt values, missing cells."""
    countries = ("Germany", "France", "Swedn", "Spain", "?")
    rows = [
        f"{20 + i % 15};{countries[i % 5]};{50 + i % 9},{i % 10};{'müde' if i % 2 else 'gut'};{'ja' if i % 3 else '-'}"
        for i in range(records)
    ]
    return "\n".join(["Alter;Land;Größe;Gefühl;Diagnose bekannt", *rows]).encode("latin-1") + b"\n"


def hostile_csv(records: int = 40) -> str:
    """Names and values that try to break out of a page."""
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    rows = [f"{20 + i % 9},{quoted if i % 2 else 'plain'},{'=1+1' if i % 3 else 'x'}" for i in range(records)]
    return "\n".join([f"age,{quoted},formula", *rows]) + "\n"


class Desk:
    """A server without a network, and a browser that is logged in."""

    def __init__(self, root: Path, *, max_upload: int = 1 << 24, paths: bool = True, example: bool = False) -> None:
        self.root = root
        self.announced: list[str] = []
        self.workspaces = Workspaces(root, paths=paths)
        self.gate = Gate(
            make_app(self.workspaces, example=example),
            hosts=[HOST],
            secure=False,
            uploads=takes_file,
            max_upload=max_upload,
            announce=self.announced.append,
        )
        self.client = Client(self.gate, HOST, BASE)

    def enter(self) -> Desk:
        """Log in."""
        assert self.client.get(f"/?token={self.gate.token}").status == 200
        return self

    def upload(self, content: str | bytes, extension: str = ".csv", label: str = "table") -> Workspace:
        """Upload a table and wait until it is examined."""
        body = content if isinstance(content, bytes) else content.encode()
        answer = self.client.post("/upload", body, x_format=extension, x_label=label)
        assert answer.status == 200, answer.text
        found = self.workspaces.get(answer.json["location"].split("/")[3])
        assert found is not None
        self.finish(found)
        return found

    def finish(self, workspace: Workspace) -> None:
        """Wait for the long work."""
        assert workspace.task is not None
        assert workspace.task.wait(120)

    def show(self, workspace: Workspace, step: str) -> Answer:
        """A step, after the long work that showing it may begin."""
        answer = self.client.get(f"/w/{workspace.id}/{step}")
        if workspace.is_busy or 'id="working"' in answer.text:
            self.finish(workspace)
            answer = self.client.get(f"/w/{workspace.id}/{step}")
        assert answer.status == 200
        return answer

    def act(self, workspace: Workspace, step: str, action: str, **form: Any) -> Answer:
        """Send a form of a step, and wait for the work that it begins."""
        answer = self.client.post(f"/w/{workspace.id}/{step}/{action}", form)
        if workspace.is_busy or 'id="working"' in answer.text:
            self.finish(workspace)
            answer = self.client.get(self.client.path)
        assert answer.status == 200
        return answer

    def column(self, workspace: Workspace, name: str, *, masked: bool = False) -> int:
        """The position of a column among all, or among those with a kind."""
        columns = workspace.bench.settings.columns
        return [n for n, c in columns.items() if not masked or c.kind is not None].index(name)


def problems_in(answer: Answer) -> list[str]:
    """The problems that a page shows."""
    shown = re.search(r'<section class="problems".*?</section>', answer.text, re.DOTALL)
    return [] if shown is None else re.findall(r'<li data-key="(.*?)</li>', shown[0], re.DOTALL)
