"""Outputs: tried before the work, written whole or through, and no result is lost when that fails."""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
from pathlib import Path

import pytest

from sweepless.cli import output
from sweepless.cli.main import main

SEARCH = ["select", "--data", "make_madelon", "--criterion", "cfs", "--target", "2", "--budget", "3", "--quiet"]
OUTPUTS = ["--json", "--report"]
as_user = pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")


@pytest.fixture()
def no_search(monkeypatch):
    """Fail as soon as data are read."""

    def read(*arguments, **keywords):
        raise AssertionError("the data were read")

    monkeypatch.setattr("sweepless.data.load", read)


@pytest.mark.parametrize("option", OUTPUTS)
def test_devices_are_written_through(option, tmp_path, monkeypatch):
    replaced = []
    monkeypatch.setattr(Path, "replace", lambda *paths: replaced.append(paths))
    assert main([*SEARCH, option, "/dev/null"]) == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode) and replaced == []


@pytest.mark.parametrize("option", OUTPUTS)
def test_a_fifo_is_written_through(option, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    heard = []
    reader = threading.Thread(target=lambda: heard.append(fifo.read_text()), daemon=True)
    reader.start()
    assert main([*SEARCH, option, str(fifo)]) == 0
    if not stat.S_ISFIFO(fifo.stat().st_mode):
        pytest.fail("the FIFO was replaced")
    reader.join(20)
    assert heard[0].startswith("{" if option == "--json" else "<!doctype")


@pytest.mark.parametrize("option", OUTPUTS)
@pytest.mark.parametrize("exists", [True, False])
def test_a_symlink_is_followed(option, exists, tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    if exists:
        target.write_text("before")
    link.symlink_to(target)
    assert main([*SEARCH, option, str(link)]) == 0
    assert link.is_symlink() and target.read_text()[0] in "{<"


@pytest.mark.parametrize("option", OUTPUTS)
def test_permissions_are_those_of_the_user(option, tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch()
    old.chmod(0o640)
    before = os.umask(0o077)
    try:
        assert main([*SEARCH, option, str(new)]) == main([*SEARCH, option, str(old)]) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def unwritable(folder: Path, case: str) -> Path:
    if case == "no folder":
        return folder / "missing" / "out"
    if case == "folder":
        return folder
    if case == "loop":
        (folder / "loop").symlink_to(folder / "loop")
        return folder / "loop"
    if case == "long name":
        return folder / ("x" * 256)
    if case == "read-only folder":
        folder.chmod(0o555)
    if case == "read-only file":
        (folder / "out").touch(0o444)
    return folder / "out"


@pytest.mark.parametrize("option", [*OUTPUTS, "--journal"])
@pytest.mark.parametrize(
    "case",
    [
        "no folder",
        "folder",
        "loop",
        "long name",
        pytest.param("read-only folder", marks=as_user),
        pytest.param("read-only file", marks=as_user),
    ],
)
def test_outputs_are_tried_before_the_search(case, option, tmp_path, no_search, capsys):
    path = unwritable(tmp_path, case)
    assert main([*SEARCH, option, str(path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "unexpected" not in said
    tmp_path.chmod(0o755)
    assert not list(tmp_path.glob(".*"))  # what was tried is gone


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_a_folder_that_takes_no_file_is_noticed_before_the_search(code, tmp_path, no_search, monkeypatch, capsys):
    def fails(*arguments):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "write" if code == errno.ENOSPC else "open", fails)
    for option in (*OUTPUTS, "--journal"):
        assert main([*SEARCH, option, str(tmp_path / "out")]) == 2
        assert f"{tmp_path / 'out'}: {os.strerror(code)}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", OUTPUTS)
@pytest.mark.parametrize("length", [200, 250, 255])
def test_a_long_name_is_no_obstacle(option, length, tmp_path):
    path = tmp_path / ("x" * length)
    assert main([*SEARCH, option, str(path)]) == 0
    assert path.is_file()


@pytest.mark.parametrize("also_json", [True, False])
def test_what_cannot_be_written_at_the_end_is_printed(also_json, tmp_path, monkeypatch, capsys):
    def fails(path, content):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(output, "write_whole", fails)
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    options = ["--report", str(page), *(["--json", str(out)] if also_json else [])]
    assert main([*SEARCH, *options]) == 1
    said = capsys.readouterr()
    assert f"{page} could not be written: No space left on device" in said.err
    if also_json:
        assert f"{out} could not be written: No space left on device" in said.err
        (found,) = [line for line in said.out.splitlines() if line.startswith("{")]
        assert json.loads(found)["size"] == 2
    assert "best size 2" in said.out
