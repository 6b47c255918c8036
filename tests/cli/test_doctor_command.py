"""`sweepless doctor` tells what is there, what is missing, and what is wrong."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version

import pytest

from sweepless._version import __version__
from sweepless.cli import main
from tests.cli.test_json_outputs import promised


def test_what_is_there_is_shown(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SWEEPLESS_DATA", str(tmp_path))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert f"sweepless {__version__}" in said and f"numba {version('numba')}" in said
    assert f"data      {tmp_path}\n" in said and "OMP_NUM_THREADS=1" in said and "all is well" in said


def test_what_is_missing_is_named_with_what_to_install(capsys, monkeypatch):
    def without(package):
        if package == "plotly":
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr("sweepless.cli.doctor.version", without)
    assert main(["doctor"]) == 0  # it is optional
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "a page:" in line]
    assert line.startswith("missing") and line.endswith("plotly (pip install 'sweepless[reports]')")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SWEEPLESS_DATA", "/nowhere", "SWEEPLESS_DATA must name a directory, got /nowhere"),
        ("NUMBA_DISABLE_JIT", "1", "nothing is compiled"),
    ],
)
def test_what_is_wrong_is_a_problem(name, value, said, capsys, monkeypatch):
    monkeypatch.setenv(name, value)
    assert main(["doctor"]) == 1
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("problem") and said in line]


def test_a_cache_that_cannot_be_written_is_a_problem(capsys, monkeypatch):
    monkeypatch.setattr("sweepless.cli.doctor.os.access", lambda path, mode: False)
    assert main(["doctor"]) == 1
    assert "name a place by NUMBA_CACHE_DIR" in capsys.readouterr().out


def test_the_object_has_the_promised_keys(capsys):
    main(["doctor", "--json", "-"])
    found = json.loads(capsys.readouterr().out)
    assert set(found) - {"schema"} == promised("doctor")[0]
    assert set(found["cache"]) == {"path", "is_writable", "n_kernels", "n_shipped"}
