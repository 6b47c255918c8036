"""A local server of one page about one run: it can be read, and nothing else.

Pages of other sites that a browser has open are kept out: the Host header must name this server, so that a foreign name
that is made to point here is refused, and answers may be used by this origin only.
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
_PAUSE = 0.2  # seconds between two looks at the file, however many ask


def content_policy() -> str:
    """Return the policy that lets a browser run this script, apply this style and ask this server, and no more."""
    rules = {
        "default-src": "'none'",
        "script-src": _hash("live.js"),
        "style-src": _hash("live.css"),
        "connect-src": "'self'",
        "img-src": "data:",  # the sign of the tab
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
    """A run that is watched."""

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
            say(f"warning: everybody who can reach {host} can read this page; it is neither encrypted nor protected.")
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
        except KeyboardInterrupt:  # the one way to end it
            return


def application(run: Run, host: str, port: int) -> Starlette:
    """Return what answers requests: the page, and the state of the run as JSON."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import HTMLResponse, Response
    from starlette.routing import Route

    current = _Current(run)
    html = render("live.html")

    def show(request: Request) -> Response:
        return HTMLResponse(html)

    def tell(request: Request) -> Response:
        tag, text = current.told()
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag})
        return Response(text, media_type="application/json", headers={"etag": tag})

    names = {f"{name}:{port}" for name in (*_HERE, _in_address(host).lower())}
    if port == 80:
        names |= {name.removesuffix(":80") for name in names}
    routes = [Route("/", show), Route("/state.json", tell)]
    return Starlette(routes=routes, middleware=[Middleware(_Guard, names=frozenset(names))])


class _Guard:
    """Turns away who asks another host or for anything but reading; gives every answer its headers."""

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
            app = PlainTextResponse("This server goes by another name.\n", 421)
        elif scope["method"] not in ("GET", "HEAD"):
            app = PlainTextResponse("This server can only be read.\n", 405, {"allow": "GET, HEAD"})

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *given]
            await send(message)

        await app(scope, receive, sent)


class _Current:
    """What is known of the run, read again at most every now and then, by one at a time."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._looked = -_PAUSE
        self._life = token_hex(4)  # another server may have been here before
        self._tag, self._text = "", ""

    def told(self) -> tuple[str, str]:
        with self._lock:
            if time.monotonic() - self._looked >= _PAUSE:
                self._look()
                self._looked = time.monotonic()
            return self._tag, self._text

    def _look(self) -> None:
        run, failed = self._run, ""
        try:
            run.refresh()
        except SweeplessError as error:  # says where the file is, which is not for the page
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
        listening.listen()  # who is told the address may come at once
    except OSError as error:
        listening.close()
        raise InputError(
            f"--host and --port must be an address that is free here, got {host} and {port}: {error.strerror or error}."
        ) from None
    return listening


def _is_local(host: str) -> bool:
    return host.lower() == "localhost" or _is("loopback", host)


def _is(kind: str, host: str) -> bool:
    """Tell whether a host is an address of a kind that `ipaddress` knows."""
    try:
        return bool(getattr(ipaddress.ip_address(host.strip("[]")), f"is_{kind}"))
    except ValueError:
        return False


def _in_address(host: str) -> str:
    """Write a host as it stands in an address."""
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else bare
