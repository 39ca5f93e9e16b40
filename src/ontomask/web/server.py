"""Serve the workbench to one person on this machine.

The toolkit is Starlette with Jinja2 and a script of our own. Every header, cookie and byte limit is then in
`ontomask.web.gate`, where it can be read and tested, and pages are plain HTML that works with a keyboard. NiceGUI would
bring components, but also 24 MB, inline scripts, which a strict content security policy forbids, and defaults to undo:
all network interfaces, any ``Host`` header, and a limit on uploads in the browser only.
"""

from __future__ import annotations

import os
import socket
import ssl
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

import uvicorn

from ontomask.base.drafts import DraftFolder
from ontomask.errors import OntomaskError
from ontomask.web.app import make_app, takes_file
from ontomask.web.gate import Gate
from ontomask.web.tasks import Task
from ontomask.web.workspaces import Workspaces

__all__ = ["MAX_UPLOAD_MB", "check_address", "serve"]

MAX_UPLOAD_MB = 2048
_SECONDS_TO_END = 2


def serve(
    *,
    file: Path | None = None,
    example: bool = False,
    host: str = "127.0.0.1",
    port: int = 0,
    i_know: bool = False,
    certificate: Path | None = None,
    key: Path | None = None,
    max_upload_mb: int = MAX_UPLOAD_MB,
    browser: bool = True,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve until the process is stopped. All files of the workbench are then deleted.

    Parameters
    ----------
    file, example
        A table or a job to open first, or whether to open the Adult census.
    host, port
        Where to listen. By default this machine only, on any free port.
    i_know, certificate, key
        For another host: that the person knows what this means, and the files of TLS.
    max_upload_mb
        Megabytes of an uploaded file at most.
    browser
        Whether to open the browser.
    announce
        Called with texts for the person, such as the address.
    """
    check_address(host, i_know=i_know, certificate=certificate, key=key)
    local = _is_loopback(host)
    with _listen(host, port) as listening:
        address = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        # The names of this machine that a browser may send.
        names = ["127.0.0.1", "localhost", "[::1]", shown] if local else [shown]
        scheme = "http" if certificate is None else "https"
        start = f"{scheme}://{shown}:{address}/"

        def tell(token: str) -> None:
            announce(f"Open {start}?token={token}\nThis address works once. Stop with Ctrl+C.")

        # A folder that only this user can read. One that a killed server left is deleted here.
        folder = DraftFolder.create(Path(tempfile.gettempdir()))
        workspaces = Workspaces(folder.path, paths=local)
        gate = Gate(
            make_app(workspaces, first=file, example=example),
            hosts=[f"{name}:{address}" for name in names],
            secure=certificate is not None,
            uploads=takes_file,
            max_upload=max_upload_mb << 20,
            announce=tell,
        )
        try:
            # Ctrl+C is the usual end.
            with suppress(KeyboardInterrupt):
                assert gate.token is not None
                tell(gate.token)
                if browser:
                    threading.Timer(0.5, webbrowser.open, [f"{start}?token={gate.token}"]).start()
                config = uvicorn.Config(
                    gate,
                    log_level="error",
                    access_log=False,
                    server_header=False,
                    lifespan="off",
                    ws="none",
                    timeout_graceful_shutdown=_SECONDS_TO_END,
                    ssl_certfile=None if certificate is None else str(certificate),
                    ssl_keyfile=None if key is None else str(key),
                )
                uvicorn.Server(config).run(sockets=[listening])
        finally:
            workspaces.close_all()
            folder.remove()
            if Task.any_runs():
                _leave()
        announce("Stopped. All files of the workbench are deleted.")


def _leave() -> None:
    """End at once. Compiled code that still runs in a thread would abort the usual end of Python."""
    error = sys.exc_info()[1]
    code = error.code if isinstance(error, SystemExit) else 0
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else 1)


def check_address(host: str, *, i_know: bool, certificate: Path | None, key: Path | None) -> None:
    """Refuse an address that others can reach, unless the person knows that and gives the files of TLS."""
    if (certificate is None) != (key is None):
        raise OntomaskError("Give both files of TLS: --tls-cert and --tls-key.", parameter="tls_cert", code="tls")
    if not _is_loopback(host) and not (i_know and certificate is not None):
        raise OntomaskError(
            f"Others can reach the address {host}, and the workbench shows personal data. Leave out --host. If this is "
            "really needed, give --i-know with --tls-cert and --tls-key.",
            parameter="host",
            code="not-loopback",
        )
    if host in ("0.0.0.0", "::"):
        text = "This is not an address that a browser can open. Give the address of one network interface."
        raise OntomaskError(text, parameter="host", code="not-an-address")
    if certificate is not None and key is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
        except (OSError, ssl.SSLError) as problem:
            raise OntomaskError(
                f"The files of TLS cannot be used: {problem.strerror or 'they are damaged'}. Give others.",
                path=certificate,
                parameter="tls_cert",
                code="tls",
            ) from None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        # A port of a server that has just ended can be used again.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        # Whoever opens the address at once waits, and is not refused.
        made.listen()
    except (OSError, OverflowError) as problem:
        made.close()
        why = getattr(problem, "strerror", None) or problem
        raise OntomaskError(f"The port {port} cannot be used: {why}. Give another --port.", code="port") from None
    return made
