"""The addresses of the workbench. No address, log line or title holds a value of a table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ontomask.base.text import one_line
from ontomask.errors import OntomaskError
from ontomask.examples.adult import load_adult
from ontomask.job.input_files import expanded, unreadable
from ontomask.job.page_words import problems_for_page
from ontomask.job.steps import STEPS, step_states
from ontomask.microdata import frames, write_table
from ontomask.microdata.files import extension_of
from ontomask.web.forms import Form
from ontomask.web.gate import BASE, REPORT_POLICY, TooLargeError, refusal
from ontomask.web.pages import PAGES, meaning, release, table
from ontomask.web.rendering import render
from ontomask.web.workspaces import Problems, Workspace, Workspaces

__all__ = ["make_app", "takes_file"]

_STATIC = Path(__file__).parent / "static"
_UPLOADS = re.compile(r"/upload(?:/job)?|/w/[\w-]+/upload/(?:table|ontology)")
_EXTENSION = re.compile(r"(?:\.[a-z0-9]{1,10}){1,2}")
_MOST_OF_A_LABEL = 80


def takes_file(path: str) -> bool:
    """Whether an address takes a file, which may be large."""
    return _UPLOADS.fullmatch(path) is not None


class _Pages:
    """The handlers of the addresses."""

    def __init__(self, workspaces: Workspaces, *, first: Path | None, example: bool) -> None:
        self._all = workspaces
        self._first = first
        self._example = example

    # The start

    def start(self, request: Request) -> Response:
        """The first page: open a table or a job, or go back to one."""
        if self._example:
            self._example = False
            return self.example(request)
        if self._first is not None:
            first, self._first = self._first, None
            return RedirectResponse(f"/w/{self.open_path(first).id}/table", 303)
        return HTMLResponse(self._start_page())

    def _start_page(self, path: str = "", problems: Problems | None = None) -> str:
        known = {"workspaces": list(self._all), "paths": self._all.paths}
        return render("start.html", path=path, problems=problems or [], **known)

    def open_path(self, path: Path) -> Workspace:
        """Open a table or a job of this machine."""
        made = self._all.create(one_line(path.name))
        self._open(made, path)
        return made

    def _open(self, made: Workspace, path: Path) -> None:
        if path.suffix.lower() == ".toml":
            made.start("examine", "Opening the job", lambda: made.bench.open_job(path.resolve()))
        else:
            table.examine(made, path.resolve())

    async def open_by_form(self, request: Request) -> Response:
        """Open a file of this machine by its path."""
        body, given = await request.body(), ""
        try:
            given = Form.parse(body).get("path").strip()
            path = self._path_to_open(given)
        except OntomaskError as problem:
            return HTMLResponse(self._start_page(given, [("path", problem.reason)]), 422)
        return RedirectResponse(f"/w/{self.open_path(path).id}/table", 303)

    def _path_to_open(self, given: str) -> Path:
        """The path that a person typed, if it can be read and says its format."""
        if not self._all.paths:
            raise OntomaskError("This server does not open files by their path. Upload the file.", code="no-paths")
        path = expanded(given)
        problem = unreadable(path)
        if problem:
            raise OntomaskError(problem, code="not-read")
        if path.suffix.lower() != ".toml":
            extension_of(path)
        return path

    def example(self, request: Request) -> Response:  # noqa: ARG002 (as handlers are called)
        """Open the Adult census."""
        made = self._all.create("Adult census (example)")
        path = made.folder / "adult.csv"
        write_table(frames.from_columns(load_adult(), "polars"), path)
        table.examine(made, path)
        return RedirectResponse(f"/w/{made.id}/table", 303)

    # Files that arrive

    async def upload(self, request: Request) -> Response:
        """Take a table or a job in a new workspace."""
        made = self._all.create(_label(request))
        is_job = request.url.path.endswith("/job")
        try:
            path = await self._receive(request, made, "job" if is_job else "table", ".toml" if is_job else None)
        except BaseException:
            self._all.close(made.id)
            raise
        if isinstance(path, Response):
            self._all.close(made.id)
            return path
        self._open(made, path)
        return JSONResponse({"location": f"{BASE}/w/{made.id}/table"})

    async def upload_into(self, request: Request) -> Response:
        """Take a table or an ontology in a workspace."""
        found = self._all.get(request.path_params["id"])
        if found is None or not takes_file(request.url.path):
            return _gone()
        if found.is_busy:
            return JSONResponse({"problem": "Wait for the work under way, or cancel it."}, 409)
        what = request.path_params["what"]
        column = ""
        if what == "ontology":
            try:
                column = meaning.column_at(found, request.headers.get("x-column", ""))
            except OntomaskError as problem:
                return JSONResponse({"problem": problem.reason}, 409)
        path = await self._receive(request, found, what, None)
        if isinstance(path, Response):
            return path
        if what == "ontology":
            found.start("ontology", "Reading the ontology", lambda: found.bench.add_ontology(path, column))
            return JSONResponse({"location": f"{BASE}/w/{found.id}/meaning"})
        found.label = _label(request)
        if found.bench.lacks_table:
            found.start("examine", "Examining the table", lambda: found.bench.attach_table(path))
        else:
            table.examine(found, path)
        return JSONResponse({"location": f"{BASE}/w/{found.id}/table"})

    async def _receive(
        self, request: Request, workspace: Workspace, stem: str, extension: str | None
    ) -> Path | Response:
        """Write a file as it arrives, under a name of ours. The gate counts its bytes."""
        given = (extension or request.headers.get("x-format", "")).lower()
        try:
            if not _EXTENSION.fullmatch(given):
                raise OntomaskError("The file has no extension that says its format. Rename it.", code="unknown-format")
            if stem == "table":
                extension_of(Path(f"table{given}"))
        except OntomaskError as problem:
            return JSONResponse({"problem": problem.reason}, 422)
        path = workspace.path_for(stem, given)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                async for block in request.stream():
                    file.write(block)
        except OSError as problem:
            path.unlink(missing_ok=True)
            return JSONResponse({"problem": f"The file cannot be kept: {problem.strerror}."}, 507)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    # A workspace

    def show(self, request: Request) -> Response:
        """A step of a workspace."""
        found = self._all.get(request.path_params["id"])
        step = request.path_params["step"]
        if found is None or step not in STEPS:
            return _gone()
        if not found.bench.is_open and step != "table":
            return RedirectResponse(f"/w/{found.id}/table", 303)
        return HTMLResponse(self._page(found, step))

    def _page(self, found: Workspace, step: str) -> str:
        with found.lock:
            shown: dict[str, Any] = {}
            self._examine_again(found)
            if not found.is_busy:
                try:
                    shown = PAGES[step].show(found)
                except OntomaskError as problem:
                    found.problems += problems_for_page(problem)
            # Showing a page may begin long work.
            problems, form = ([], {}) if found.is_busy else found.take_problems(step)
            editor = found.bench.editor if found.bench.has_job else None
            failed = not shown and not found.is_busy
            return render(
                "working.html" if found.is_busy else "failed.html" if failed else f"{step}.html",
                workspace=found,
                step=step,
                steps=STEPS,
                states=step_states(found.bench),
                editor=editor,
                problems=problems,
                form=form,
                cancelled=found.is_cancelled(step),
                task=found.task,
                **shown,
            )

    def _examine_again(self, found: Workspace) -> None:
        """Examine the table again if undo, or an edit of the text, has changed how it is read."""
        if found.is_busy or not found.bench.is_open or found.bench.is_examined:
            return
        if found.task is None or found.task.name != "examine" or found.task.state == "done":
            found.start("examine", "Examining the table", found.bench.examine)

    async def act(self, request: Request) -> Response:
        """Do what a form of a step asks."""
        found = self._all.get(request.path_params["id"])
        step, name = request.path_params["step"], request.path_params["action"]
        if found is None or step not in STEPS:
            return _gone()
        body = await request.body()
        if name in getattr(PAGES[step], "FRAGMENTS", {}):
            return await run_in_threadpool(self._fragment, found, PAGES[step].FRAGMENTS[name], body)
        action = PAGES[step].ACTIONS.get(name)
        if action is None:
            return _gone()
        target = await run_in_threadpool(self._do, found, action, body)
        return RedirectResponse(f"/w/{found.id}/{target or step}", 303)

    def _do(self, found: Workspace, action: Callable[[Workspace, Form], str | None], body: bytes) -> str | None:
        """Act, and remember what was wrong for the page that follows."""
        form = Form([])
        with found.lock:
            if found.task is not None and found.task.state in ("failed", "cancelled"):
                found.task = None
            try:
                form = Form.parse(body)
                if found.is_busy:
                    raise OntomaskError("Wait for the work under way, or cancel it.", code="busy")
                return action(found, form)
            except OntomaskError as problem:
                found.problems, found.form = problems_for_page(problem), form.to_dict()
                return None

    def _fragment(self, found: Workspace, make: Callable[[Workspace, Form], str], body: bytes) -> Response:
        try:
            return HTMLResponse(make(found, Form.parse(body)))
        except OntomaskError as problem:
            return HTMLResponse(render("problem.html", problems=problems_for_page(problem)), 422)

    async def change_job(self, request: Request) -> Response:
        """Undo, redo, or take another text of the job."""
        found = self._all.get(request.path_params["id"])
        what, step = request.path_params["what"], request.path_params["step"]
        if found is None or step not in STEPS or not found.bench.has_job:
            return _gone()
        body = await request.body()

        def change(workspace: Workspace, form: Form) -> None:
            editor = workspace.bench.editor
            if what == "undo":
                editor.undo()
            elif what == "redo":
                editor.redo()
            else:
                editor.replace(form["text"].replace("\r\n", "\n"), lambda job: job.method)

        await run_in_threadpool(self._do, found, change, body)
        return RedirectResponse(f"/w/{found.id}/{step}", 303)

    def progress(self, request: Request) -> Response:
        """Where the long work is."""
        found = self._all.get(request.path_params["id"])
        if found is None:
            return _gone()
        return JSONResponse({"state": "none"} if found.task is None else found.task.to_dict())

    def cancel(self, request: Request) -> Response:
        """Stop the long work."""
        found = self._all.get(request.path_params["id"])
        if found is None:
            return _gone()
        if found.task is not None:
            found.task.cancel()
        return JSONResponse({"state": "stopping"})

    def close(self, request: Request) -> Response:
        """Delete a workspace with its files."""
        self._all.close(request.path_params["id"])
        return RedirectResponse("/", 303)

    def file(self, request: Request) -> Response:
        """A file of the release, or the job."""
        found = self._all.get(request.path_params["id"])
        is_open = found is not None and found.bench.is_open
        path = release.files(found).get(request.path_params["what"]) if found is not None and is_open else None
        if path is None or not path.is_file():
            return _gone()
        if path.suffix == ".html" and "view" in request.query_params:
            return FileResponse(path, headers={"content-security-policy": REPORT_POLICY})
        return FileResponse(path, filename=path.name, content_disposition_type="attachment")


def _label(request: Request) -> str:
    text = unquote(request.headers.get("x-label", ""), errors="replace")
    return one_line(text)[:_MOST_OF_A_LABEL] or "Table"


def _gone() -> Response:
    return HTMLResponse(render("gone.html"), 404)


def _too_large(request: Request, problem: Exception) -> Response:  # noqa: ARG001 (as handlers are called)
    return refusal(413)


def _fault(request: Request, problem: Exception) -> Response:  # noqa: ARG001
    return refusal(500)


def make_app(workspaces: Workspaces, *, first: Path | None = None, example: bool = False) -> Starlette:
    """The application without its gate.

    Parameters
    ----------
    workspaces
        Where the work is kept.
    first, example
        A table or a job to open at the first visit, or whether to open the Adult census then.
    """
    pages = _Pages(workspaces, first=first, example=example)
    return Starlette(
        routes=[
            Route("/", pages.start),
            Route("/open", pages.open_by_form, methods=["POST"]),
            Route("/example", pages.example, methods=["POST"]),
            Route("/upload", pages.upload, methods=["POST"]),
            Route("/upload/job", pages.upload, methods=["POST"]),
            Route("/w/{id}/upload/{what:str}", pages.upload_into, methods=["POST"]),
            Route("/w/{id}/progress", pages.progress),
            Route("/w/{id}/cancel", pages.cancel, methods=["POST"]),
            Route("/w/{id}/close", pages.close, methods=["POST"]),
            Route("/w/{id}/files/{what}", pages.file),
            Route("/w/{id}/job/{what}/{step}", pages.change_job, methods=["POST"]),
            Route("/w/{id}/{step}", pages.show),
            Route("/w/{id}/{step}/{action}", pages.act, methods=["POST"]),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        exception_handlers={TooLargeError: _too_large, Exception: _fault},
    )
