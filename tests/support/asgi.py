"""Ask an ASGI application for pages, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

__all__ = ["Answer", "Client"]


@dataclass(frozen=True)
class Answer:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """A browser without scripts: it keeps cookies and follows redirects. Addresses are those below a base path."""

    def __init__(self, app: Any, host: str = "127.0.0.1:8000", base: str = "") -> None:
        self._app, self.host, self._base = app, host, base
        self.cookies: dict[str, str] = {}
        self.path = "/"

    def get(self, path: str, **headers: str) -> Answer:
        return self._follow("GET", path, b"", headers)

    def post(self, path: str, form: Mapping[str, Any] | bytes = b"", **headers: str) -> Answer:
        body = form if isinstance(form, bytes) else urlencode(form, doseq=True).encode()
        return self._follow("POST", path, body, {"origin": f"http://{self.host}", **headers})

    def _follow(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        answer = self.ask(method, path, [body], headers)
        while answer.status == 303:
            path = answer.headers["location"]
            answer = self.ask("GET", path, [b""], {})
        self.path = path
        return answer

    def ask(self, method: str, path: str, blocks: Iterable[bytes], headers: Mapping[str, str]) -> Answer:
        """Send one request, whose body arrives in blocks."""
        given = {"host": self.host, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if self.cookies:
            given.setdefault("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        if not path.startswith((f"{self._base}/", "/?token=")):
            path = self._base + path
        where, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": where,
            "raw_path": where.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
        }
        parts = list(blocks)
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not parts:
                await asyncio.sleep(3600)
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self._app(scope, receive, send))
        start = sent[0]
        found: dict[str, str] = {}
        for name, value in start["headers"]:
            found[name.decode()] = value.decode("latin-1")
            if name == b"set-cookie":
                key, _, rest = value.decode().partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return Answer(start["status"], found, b"".join(message.get("body", b"") for message in sent[1:]))
