"""A local, read-only server of one page about one run.

Pages of other sites in the same browser are kept out: the Host header must name this server, so a foreign name that
points here is refused, and only pages of this origin may use the answers.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Protocol

from sweepless._needs import require
from sweepless._phrases import duration
from sweepless.errors import InputError, SweeplessError
from sweepless.reports.live.text import doing, heading
from sweepless.reports.page import asset, render

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOGGER = logging.getLogger("sweepless")
_HERE = ("localhost", "127.0.0.1", "[::1]")
_PAUSE = 0.2  # least seconds between two looks at the file, however many browsers ask


def content_policy() -> str:
    """Return the policy that lets a browser run this script, apply this style and ask this server, and no more."""
    rules = {
        "default-src": "'none'",
        "script-src": _hash("live.js"),
        "style-src": _hash("live.css"),
        "connect-src": "'self'",
        "img-src": "data:",  # the icon of the tab
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {allowed}" for name, allowed in rules.items())


def _hash(name: str) -> str:
    return f"'sha256-{b64encode(sha256(asset(name).encode()).digest()).decode()}'"


_HEADERS = {
    "content-security-policy": content_policy(),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",
}


class Run(Protocol):
    """A watched run."""

    version: int

    @property
    def state(self) -> str: ...

    def refresh(self) -> bool: ...

    def to_dict(self) -> dict[str, Any]: ...


def serve(run: Run, host: str, port: int, say: Callable[[str], object]) -> None:
    """Serve the page of a run until Ctrl-C."""
    require("a page of a run")
    import uvicorn

    from sweepless.reports.live.connections import PatientProtocol

    if not 0 <= port < 1 << 16:
        raise InputError(f"--port must be a number from 0 to 65535, got {port}.")
    if not host.strip("[]") or _is("unspecified", host):
        raise InputError(f"--host must be one address by which browsers name this server, got {host or 'nothing'}.")
    listening = _listening(host, port)
    with listening:
        port = listening.getsockname()[1]
        name = _in_address(host)
        if not _is_local(host):
            say(f"warning: everyone who can reach {host} can read this page; it is neither encrypted nor protected.")
        say(f"http://{name}:{port}/ shows the run; Ctrl-C ends this.")
        config = uvicorn.Config(
            application(run, host, port),
            http=PatientProtocol,
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=64,
            timeout_graceful_shutdown=1,
        )
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:  # the usual way to end it
            return


def application(run: Run, host: str, port: int) -> Starlette:
    """Return the application, which answers with the page and with the state of the run as JSON."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import HTMLResponse, Response
    from starlette.routing import Route

    current = _Current(run)
    html = render("live.html")

    def show(request: Request) -> Response:
        return HTMLResponse(html)

    def state(request: Request) -> Response:
        tag, text = current.read()
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag})
        return Response(text, media_type="application/json", headers={"etag": tag})

    names = {f"{name}:{port}" for name in (*_HERE, _in_address(host).lower())}
    if port == 80:
        names |= {name.removesuffix(":80") for name in names}
    routes = [Route("/", show), Route("/state.json", state)]
    return Starlette(routes=routes, middleware=[Middleware(_Guard, names=frozenset(names))])


class _Guard:
    """Refuse requests for another host or for anything but reading, and add the headers to every answer."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import PlainTextResponse

        if scope["type"] != "http":
            return
        app = self._app
        hosts = [value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._names:
            app = PlainTextResponse("This server has another name.\n", 421)
        elif scope["method"] not in ("GET", "HEAD"):
            app = PlainTextResponse("This server is read-only.\n", 405, {"allow": "GET, HEAD"})

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *given]
            await send(message)

        await app(scope, receive, sent)


class _Current:
    """The latest state of the run, read again after a pause and by one thread at a time."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._looked = -_PAUSE
        self._life = token_hex(4)  # the browser may remember tags of an earlier server at this address
        self._tag, self._text = "", ""

    def read(self) -> tuple[str, str]:
        with self._lock:
            if time.monotonic() - self._looked >= _PAUSE:
                self._look()
                self._looked = time.monotonic()
            return self._tag, self._text

    def _look(self) -> None:
        run, failed = self._run, ""
        try:
            run.refresh()
        except SweeplessError as error:  # it names the path, which does not belong on the page
            failed = "the journal cannot be read any further"
            _LOGGER.warning("%s", error)
        tag = f'"{self._life}-{run.version}-{failed or run.state}"'.replace(" ", "_")
        if tag != self._tag:
            state = run.to_dict() | ({"state": "failed"} if failed else {})
            words = {"heading": heading(state), "doing": failed or doing(state), "time": duration(state["seconds"])}
            self._text = json.dumps(state | {"words": words}, allow_nan=False, separators=(",", ":"))
            self._tag = tag


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
        listening.listen()  # before the address is printed: a browser may follow at once
    except OSError as error:
        listening.close()
        raise InputError(
            f"--host and --port must be an address that is free here, got {host} and {port}: {error.strerror or error}."
        ) from None
    return listening


def _is_local(host: str) -> bool:
    return host.lower() == "localhost" or _is("loopback", host)


def _is(kind: str, host: str) -> bool:
    """Return whether a host is an address of some kind, such as loopback."""
    try:
        return bool(getattr(ipaddress.ip_address(host.strip("[]")), f"is_{kind}"))
    except ValueError:
        return False


def _in_address(host: str) -> str:
    """Return a host as URLs write it."""
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else bare
