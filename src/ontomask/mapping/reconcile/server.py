"""The HTTP server of a reconciliation service. It listens on this machine only.

Other web sites that the user visits must not use the service, so the ``Host`` must be this machine, and a request from
a browser must come from OpenRefine's own pages. Bodies are limited in size. Nothing of a request is logged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ontomask.errors import MappingError
from ontomask.mapping.reconcile.service import BadRequestError, ReconciliationService, parse
from ontomask.taxonomy import Taxonomy

__all__ = ["OPENREFINE", "make_server"]

OPENREFINE = ("http://127.0.0.1:3333", "http://localhost:3333")
"""Where OpenRefine's pages come from."""

_HOST = "127.0.0.1"
_MOST_BYTES = 2_000_000
_MOST_CONNECTIONS = 32
_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.ASCII)
_CALLBACK = re.compile(r"[A-Za-z_$][\w$]{0,63}(?:\.[A-Za-z_$][\w$]{0,63}){0,4}", re.ASCII)
_JSON, _HTML, _SCRIPT = "application/json; charset=utf-8", "text/html; charset=utf-8", "text/javascript; charset=utf-8"


class _RefusedError(Exception):
    """A request that is not answered, with the status to send."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, taxonomy: Taxonomy, origins: Collection[str]) -> None:
        super().__init__((_HOST, port), _Handler)
        self.address = f"http://{_HOST}:{self.server_port}"
        self.origins = frozenset(origins)
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in (_HOST, "localhost"))
        self.service = ReconciliationService(taxonomy, self.address)
        self.ancestors = f"frame-ancestors {' '.join(sorted(self.origins)) or chr(39) + 'none' + chr(39)}"
        self._connections = BoundedSemaphore(_MOST_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._connections.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a message could quote the request. The connection is closed."""


def make_server(taxonomy: Taxonomy, port: int = 0, origins: Collection[str] = OPENREFINE) -> _Server:
    """A server for a taxonomy, ready for ``serve_forever``.

    Parameters
    ----------
    taxonomy
        The concepts.
    port
        The port on 127.0.0.1; 0 for any free one. ``address`` of the server tells it.
    origins
        The addresses of web pages that may use the service.
    """
    return _Server(port, taxonomy, [_checked(origin) for origin in origins])


def _checked(origin: str) -> str:
    """An origin as browsers send it. It goes into headers, so it must be nothing else."""
    found = origin.casefold().removesuffix("/")
    if not _ORIGIN.fullmatch(found):
        text = f"An origin must be the address of a web site, such as {OPENREFINE[0]}. Got {origin!r} instead."
        raise MappingError(text, parameter="origin", values=[origin])
    return found


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "ontomask", ""
    timeout = 60
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Requests hold values of somebody's table, so none is logged."""

    def do_GET(self) -> None:
        """Answer a request whose parameters are in its address."""
        if self.headers.get("Content-Length") or self.headers.get("Transfer-Encoding"):
            self.close_connection = True  # its body is not read, and must not be taken for the next request
        self._answer(lambda: urlsplit(self.path).query)

    def do_POST(self) -> None:
        """Answer a request whose parameters are in its body."""
        self._answer(self._body)

    def do_OPTIONS(self) -> None:
        """Tell a browser which requests are allowed."""
        try:
            self._check_sender()
            self._send(HTTPStatus.NO_CONTENT, b"", _JSON)
        except _RefusedError as refused:
            self._refuse(refused.status, str(refused))

    def _answer(self, read: Callable[[], str]) -> None:
        try:
            self._check_sender()
            parameters = dict(parse_qsl(read(), keep_blank_values=True, max_num_fields=50))
            self._send(HTTPStatus.OK, *self._content(urlsplit(self.path).path, parameters))
        except _RefusedError as refused:
            self._refuse(refused.status, str(refused))
        except (BadRequestError, UnicodeError) as problem:
            reason = str(problem) if isinstance(problem, BadRequestError) else "The request is not valid UTF-8."
            self._refuse(HTTPStatus.BAD_REQUEST, reason)
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "The request has too many parameters, or an address that is wrong.")

    def _check_sender(self) -> None:
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            raise _RefusedError(HTTPStatus.MISDIRECTED_REQUEST, "This service answers requests to this machine only.")
        origin = self._origin()
        # To a browser, a page on another port of this machine is of the same site.
        is_foreign = self.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
        if (origin or is_foreign) and origin not in self.server.origins and origin != self.server.address:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "This web page may not use the service.")

    def _origin(self) -> str:
        """Where the page comes from that sends the request; empty if it is no page."""
        origin = self.headers.get("Origin", "")
        if not origin and (referrer := self.headers.get("Referer")):
            parts = urlsplit(referrer)
            origin = f"{parts.scheme}://{parts.netloc}"
        return origin

    def _body(self) -> str:
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Transfer-Encoding") or not (length.isascii() and length.isdecimal()):
            self.close_connection = True
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "A request with a body needs its length.")
        if int(length) > _MOST_BYTES:
            self.close_connection = True
            text = f"A request has at most {_MOST_BYTES:,} bytes. Send fewer queries in a batch."
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
        return self.rfile.read(int(length)).decode()

    def _content(self, path: str, given: Mapping[str, str]) -> tuple[bytes, str]:
        """The body of the answer and its kind."""
        service = self.server.service
        if path in ("/preview", "/view"):
            return service.preview(service.known(given.get("id", ""))).encode(), _HTML
        if path in ("", "/") and "queries" in given:
            text = service.answer(given["queries"])
        else:
            text = json.dumps(self._data(path, given), ensure_ascii=False)
        callback = given.get("callback")
        if callback is None:
            return text.encode(), _JSON
        if not _CALLBACK.fullmatch(callback):
            raise BadRequestError("The 'callback' must be the name of a function.")
        # Line separators of JSON end a line of a script.
        safe = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("<", "\\u003c")
        return f"/**/{callback}({safe});".encode(), _SCRIPT

    def _data(self, path: str, given: Mapping[str, str]) -> Any:
        service, prefix, limit = self.server.service, given.get("prefix", ""), given.get("limit")
        match path:
            case "/" | "":
                return service.extend(parse(given["extend"])) if "extend" in given else service.manifest()
            case "/suggest/entity":
                return service.suggest_entities(prefix, limit)
            case "/suggest/type":
                return service.suggest_types(prefix, limit)
            case "/suggest/property":
                return service.suggest_properties(prefix)
            case "/properties":
                return service.propose_properties(given.get("type", ""), limit)
            case "/flyout":
                return service.flyout(service.known(given.get("id", "")))
        raise _RefusedError(HTTPStatus.NOT_FOUND, "There is nothing at this address.")

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        # The body may not have been read, and must not be taken for the next request.
        self.close_connection = True
        self._send(status, json.dumps({"error": reason}).encode(), _JSON)

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        lines = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            f"Content-Type: {kind}",
            f"Content-Length: {len(body)}",
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            f"Content-Security-Policy: default-src 'none'; {self.server.ancestors}",
        ]
        origin = self.headers.get("Origin", "")
        if origin in self.server.origins:
            lines += [f"Access-Control-Allow-Origin: {origin}", "Vary: Origin"]
            if self.command == "OPTIONS":
                lines += ["Access-Control-Allow-Methods: GET, POST", "Access-Control-Allow-Headers: Content-Type"]
        if self.close_connection:
            lines.append("Connection: close")
        # One packet for head and body.
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        try:
            self.wfile.write(head if self.command == "HEAD" else head + body)
        except (TimeoutError, BrokenPipeError, ConnectionError):
            self.close_connection = True
