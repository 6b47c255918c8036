"""The server of `sweepless watch --serve`: one page, only to be read, only under its own name."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
from base64 import b64encode
from contextlib import ExitStack
from hashlib import sha256
from urllib.parse import urlsplit

import numpy as np
import pytest

from sweepless import Dataset, Journal, run
from sweepless.criteria import FunctionCriterion
from sweepless.errors import SweeplessError
from sweepless.reports.live import server
from sweepless.reports.live.server import content_policy
from sweepless.reports.page import render
from tests.live_runs import served

pytest.importorskip("starlette", reason="the server needs starlette")
pytest.importorskip("uvicorn", reason="the server needs uvicorn")


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    path = tmp_path_factory.mktemp("secret_place") / "secret_name.jsonl"
    data = Dataset(np.eye(8), [0, 1] * 4, name="secret_data")
    note = {"command": ["select", "--data", "secret_data"]}
    run("SFFS", FunctionCriterion(lambda m: float(np.sin(m).sum())), data, target=4, journal=Journal(path, note=note))
    return path


@pytest.fixture(scope="module")
def address(journal):
    with served(journal) as url:
        yield urlsplit(url)


def asked(address, method="GET", target="/", host=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=20)
    try:
        connection.putrequest(method, target, skip_host=True)
        connection.putheader("Host", f"127.0.0.1:{address.port}" if host is None else host)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
    finally:
        connection.close()


def test_it_shows_the_page_and_the_numbers(address):
    status, headers, text = asked(address)
    assert status == 200 and headers["content-type"].startswith("text/html") and text == render("live.html")
    status, headers, text = asked(address, target="/state.json")
    state = json.loads(text)
    assert status == 200 and headers["content-type"] == "application/json"
    assert state["state"] == "ended" and state["run"]["method"] == "SFFS" and len(state["curve"]) >= 4
    assert asked(address, target="/state.json", headers={"If-None-Match": headers["etag"]})[0] == 304


def test_it_listens_here_only(address):
    assert address.hostname == "127.0.0.1"
    with socket.socket() as other:  # 127.0.0.2 is this machine as well, but not where it listens
        other.settimeout(5)
        with pytest.raises(OSError):
            other.connect(("127.0.0.2", address.port))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("target", ["/", "/state.json", "/nowhere"])
def test_it_can_only_be_read(method, target, address):
    status, headers, _ = asked(address, method, target)
    assert status == 405 and headers["allow"] == "GET, HEAD"


def test_heads_have_no_body(address):
    status, headers, text = asked(address, "HEAD")
    assert status == 200 and text == "" and int(headers["content-length"]) > 1_000


@pytest.mark.parametrize("name", ["localhost:{}", "LOCALHOST:{}", "127.0.0.1:{}", "[::1]:{}"])
def test_it_goes_by_its_own_names(name, address):
    assert asked(address, host=name.format(address.port))[0] == 200


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:{}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:{}",
        "127.0.0.1:{}.evil.example",
        "",
        "0.0.0.0:{}",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_it_goes_by_no_other_name(name, method, address):
    status, _, text = asked(address, method, host=name.format(address.port))
    assert status in (400, 421) and "SFFS" not in text


def test_every_answer_is_guarded(address):
    for method, target, host in (
        ("GET", "/", None),
        ("GET", "/state.json", None),
        ("GET", "/nowhere", None),
        ("POST", "/", None),
        ("GET", "/", "evil.example"),
    ):
        _, headers, _ = asked(address, method, target, host)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "*" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert not any(name.startswith("access-control") for name in headers) and "server" not in headers


def test_nothing_else_is_shown(address, journal):
    _, _, text = asked(address, target="/state.json")
    assert "secret" not in text and str(journal.parent) not in text
    for target in ("/../pyproject.toml", "/..%2f..%2fetc/passwd", "//etc/passwd", "/state.json/", "/page.js", "/docs"):
        assert asked(address, target=target)[0] in (307, 404)


def test_the_policy_names_what_is_in_the_page():
    page = render("live.html")
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert f"{rule} 'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'" in content_policy()
    assert not re.search(r"(?:src|href)=\"(?!data:)", page)  # nothing is fetched from anywhere
    assert "innerHTML" not in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_damaged_journal_is_told_without_its_place(journal, tmp_path, caplog):
    class Damaged:
        version, state = 3, "running"

        def refresh(self):
            raise SweeplessError("line 4 of the journal /secret/place is damaged: its checksum does not match.")

        def to_dict(self):
            from sweepless.journal.watch import WatchedRun

            return WatchedRun(tmp_path / "none").to_dict()

    _, text = server._Current(Damaged()).read()
    assert json.loads(text)["state"] == "failed" and "secret" not in text
    assert "/secret/place" in caplog.text  # for who started the server


def test_another_host_is_warned_of(journal):
    said = []
    assert server._is_local("127.0.0.1") and server._is_local("::1") and server._is_local("localhost")
    assert not server._is_local("192.0.2.7") and not server._is_local("box.example")
    with pytest.raises(SweeplessError, match="free here, got 192"):
        server.serve(None, "192.0.2.7", 0, said.append)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SweeplessError, match="must be an address that is free"):
            server.serve(None, "127.0.0.1", taken.getsockname()[1], said.append)
    assert said == []


def test_a_named_host_is_allowed_and_warned_of(journal, monkeypatch):
    import uvicorn

    said, made = [], []
    monkeypatch.setattr(server, "_is_local", lambda host: False)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: made.append(sockets))
    server.serve(None, "127.0.0.1", 0, said.append)
    assert said[0].startswith("warning: everyone who can reach 127.0.0.1") and len(made) == 1


def test_half_open_requests_keep_nobody_out(journal):
    with served(journal) as url, ExitStack() as opened:
        address = urlsplit(url)
        for number in range(300):
            half = opened.enter_context(socket.create_connection(("127.0.0.1", address.port), timeout=20))
            half.sendall([b"", b"GET / HTTP/1.1\r\nHost: 127", b"GET / HTTP/1.1\r\nX: y\r\n"][number % 3])
        assert asked(address)[0] == 200
        assert asked(address, target="/state.json")[0] == 200


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nhalf"])
def test_a_request_that_does_not_come_to_its_end_is_hung_up_on(monkeypatch, sent):
    from uvicorn import Config
    from uvicorn.server import ServerState

    from sweepless.reports.live import connections

    monkeypatch.setattr(connections, "PATIENCE", 0.3)
    config = Config(server.application(None, "127.0.0.1", 1), lifespan="off", ws="none", log_config=None)

    async def is_hung_up_on():
        config.load()
        state = ServerState()
        listening = await asyncio.get_running_loop().create_server(
            lambda: connections.PatientProtocol(config, state, {}), "127.0.0.1", 0
        )
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        writer.write(sent)
        try:
            async with asyncio.timeout(60):
                for _ in range(600):  # a little now and then gives no more time
                    if writer.is_closing() or (not state.connections and reader.at_eof()):
                        return True
                    writer.write(b"x")
                    await asyncio.sleep(0.02)
        except ConnectionError:
            return True
        finally:
            writer.close()
            listening.close()
        return False

    assert asyncio.run(is_hung_up_on())
