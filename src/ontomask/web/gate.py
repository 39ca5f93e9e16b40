"""The gate in front of every page: who may come in, from where, and with how much.

- The ``Host`` header must be an address of this server, so that a foreign name that resolves to this machine (DNS
  rebinding) gets nothing.
- A token that works once turns into a cookie that scripts cannot read and that other sites cannot send. If it is used
  a second time, somebody else may have seen it: all cookies lose their worth, and a new token is needed.
- All pages lie under a path that nobody can guess, and the cookie is sent to this path only. Otherwise a server of
  another user on another port of this machine would get the cookie, since browsers do not tell ports apart.
- A request that changes something must come from our own pages.
- The size of a request is counted while it arrives, whatever its headers say.
- Pages may load nothing from elsewhere, be in no frame, and stay in no cache.

A fault of the program is printed without its message, which may quote the data.
"""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Callable, Collection
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BASE", "PAGE_POLICY", "REPORT_POLICY", "Gate", "TooLargeError", "refusal"]

BASE = f"/{secrets.token_urlsafe(16)}"
"""The path of all pages of this process."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""What our own pages may load."""

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox"
"""What a report may load: nothing. It has its style inside."""

_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

_REFUSALS = {
    401: (
        "No access",
        "Open the address that ontomask web printed in its terminal. It works once. If it was used already, the "
        "terminal has printed a new one, and all browsers must enter anew. Your work is kept.",
    ),
    403: ("Refused", "This request does not come from the workbench itself."),
    413: ("Too large", "The file is too large. Start ontomask web with a larger --max-upload."),
    421: ("Unknown address", "This server answers only to the address that it printed."),
    500: (
        "Something went wrong",
        "This is a fault of the program. Your job is kept. Go back and try again, and please report it.",
    ),
}

_READING = frozenset({"GET", "HEAD"})
# Forms are small. Only the upload of a file may be larger.
_MOST_OF_A_FORM = 4 << 20


_ENTRY = f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={BASE}/"><title>ontomask</title>'


class TooLargeError(Exception):
    """A request is larger than it may be."""


class Gate:
    """An ASGI application around another one.

    Parameters
    ----------
    app
        The pages.
    hosts
        The values of the ``Host`` header that are answered, such as ``127.0.0.1:8321``.
    secure
        Whether the server speaks TLS.
    uploads
        The paths that take a file.
    max_upload
        Bytes of a file at most.
    announce
        Called with a new token when the former one is used up and another browser asks.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        secure: bool,
        uploads: Callable[[str], bool],
        max_upload: int,
        announce: Callable[[str], None],
    ) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(f"{'https' if secure else 'http'}://{host}" for host in self._hosts)
        self._secure = secure
        self._uploads = uploads
        self._max_upload = max_upload
        self._announce = announce
        # Cookies of one address are sent to all its ports, so each server needs a name of its own.
        self.cookie = f"ontomask-{secrets.token_hex(4)}"
        self._session = secrets.token_urlsafe(32)
        self.token: str | None = secrets.token_urlsafe(32)
        self._used = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        begun = False

        async def send_safely(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["location"] = BASE + headers["location"]
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            answer = self._refusal(scope)
            if answer is not None:
                await answer(scope, receive, send_safely)
            else:
                inside = {**scope, "path": _inside(scope["path"]), "raw_path": b"", "root_path": ""}
                await self._app(inside, self._counted(inside, receive), send_safely)
        except TooLargeError:
            if not begun:
                await refusal(413)(scope, receive, send_safely)
        except Exception as fault:
            traceback.print_tb(fault.__traceback__)
            print(f"{type(fault).__name__} (the message is omitted, since it may quote the data)", file=sys.stderr)
            if not begun:
                await refusal(500)(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that does not reach the pages; ``None`` if it may pass."""
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts:
            return refusal(421)
        if scope["method"] not in _READING and not self._is_from_our_pages(headers):
            return refusal(403)
        if not scope["path"].startswith(f"{BASE}/") or not self._has_cookie(headers):
            return self._enter(scope)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limit(_inside(scope["path"])):
            raise TooLargeError
        return None

    def _is_from_our_pages(self, headers: Headers) -> bool:
        return headers.get("origin") in self._origins and headers.get("sec-fetch-site", "same-origin") == "same-origin"

    def _has_cookie(self, headers: Headers) -> bool:
        # Not the parser of the standard library: it gives up at an odd cookie of another program on this machine.
        pairs = [part.strip().partition("=") for part in headers.get("cookie", "").split(";")]
        given = [value for name, _, value in pairs if name == self.cookie]
        return any(secrets.compare_digest(value.encode(), self._session.encode()) for value in given)

    def _enter(self, scope: Scope) -> Response:
        """Turn the token into the cookie. It works once."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        right = self.token is not None and secrets.compare_digest(given.encode(), self.token.encode())
        if scope["path"] == "/" and scope["method"] == "GET" and right:
            self._used, self.token = str(self.token), None
            # Not a redirect: browsers would not send the new cookie after a link on another page.
            page = HTMLResponse(_ENTRY)
            page.set_cookie(
                self.cookie, self._session, httponly=True, samesite="strict", secure=self._secure, path=BASE
            )
            return page
        if self._used and secrets.compare_digest(given.encode(), self._used.encode()):
            self._used, self._session = "", secrets.token_urlsafe(32)
        if self.token is None and (scope["path"] == "/" or scope["path"].startswith(f"{BASE}/")):
            self.token = secrets.token_urlsafe(32)
            self._announce(self.token)
        return refusal(401)

    def _limit(self, path: str) -> int:
        return self._max_upload if self._uploads(path) else _MOST_OF_A_FORM

    def _counted(self, scope: Scope, receive: Receive) -> Receive:
        left = self._limit(scope["path"])

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLargeError
            return message

        return counted


def _inside(path: str) -> str:
    """The path of a request as the pages know it."""
    return path[len(BASE) :]


def refusal(status: int) -> Response:
    """A page that says why a request was refused. An unknown visitor learns nothing else, so it has no style."""
    title, text = _REFUSALS[status]
    body = f"<!DOCTYPE html><html lang='en'><title>{title}</title><h1>{title}</h1><p>{text}</p>"
    # A browser would ask for a password if it were told that one is missing.
    return HTMLResponse(body, 403 if status == 401 else status)
