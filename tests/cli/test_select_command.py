"""`sweepless select` as a user meets it: results, errors, exit codes, files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sweepless.cli import main

KEYS = {
    "method", "criterion", "size", "value", "features", "n_evaluations", "forward_evaluations",
    "backward_evaluations", "warm_up_evaluations", "stop_reason", "seed", "archive", "seconds", "version",
    "n_samples", "n_tried", "task", "n_classes", "scale", "settings", "feature_names",
}  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = np.where(X[:, 1] * X[:, 4] > 0, "yes", "no")
    path = tmp_path / "table.csv"
    rows = [",".join([*(f"f{k}" for k in range(8)), "answer"])]
    rows += [",".join([*map(repr, row.tolist()), label]) for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run, expect exit code 2, and return the one sentence that says why."""
    try:
        code = run("select", *arguments)
    except SystemExit as exit_:
        code = exit_.code
    captured = capsys.readouterr()
    assert code == 2, captured
    assert captured.out == ""
    lines = captured.err.strip().splitlines()
    assert len(lines) == 1, captured.err
    assert "Traceback" not in captured.err
    return lines[0]


def test_json_has_every_promised_key(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("select", "--data", table, "--criterion", "knn", "--method", "SFFS", "--target", 3, "--json", "-") == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result) >= KEYS
    assert "holdout" not in result
    assert set(result["archive"][0]) == {"size", "value", "features", "feature_names", "n_evaluations"}
    assert result["size"] == len(result["features"]) == 3
    for subset in (result, *result["archive"]):
        assert subset["feature_names"] == [f"f{feature}" for feature in subset["features"]]


def test_split_gives_a_holdout(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(
            "select",
            "--data",
            table,
            "--criterion",
            "knn",
            "--split",
            "50/50",
            "--method",
            "SFS",
            "--target",
            2,
            "--json",
            "-",
        )
        == 0
    )
    assert 0 <= json.loads(capsys.readouterr().out)["holdout"] <= 1


def test_text_result_tells_the_story(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run("select", "--data", table, "--criterion", "knn", "--method", "sSFFS", "--target", 2, "--warm-up", "10@3")
        == 0
    )
    out = capsys.readouterr().out
    for word in ("best size 2", "value", "evaluations", "features", "curve", "stopped"):
        assert word in out
    assert "f1" in out


def test_json_file_and_text_together(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.json"
    assert run("select", "--data", table, "--criterion", "knn", "--method", "SFS", "--target", 2, "--json", path) == 0
    assert "best size 2" in capsys.readouterr().out
    assert json.loads(path.read_text(encoding="utf-8"))["size"] == 2
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_report_is_one_page(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("plotly", reason="pages need plotly")
    page = tmp_path / "page.html"
    assert (
        run("select", "--data", table, "--criterion", "knn", "--method", "SFFS", "--target", 3, "--report", page) == 0
    )
    assert page.read_text(encoding="utf-8").count('class="chart"') == 2


def test_a_report_without_plotly_is_refused_before_the_search(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    page, found = tmp_path / "page.html", tmp_path / "found.json"
    words = (
        "--data",
        table,
        "--criterion",
        "knn",
        "--method",
        "SFFS",
        "--target",
        3,
        "--report",
        page,
        "--json",
        found,
    )
    assert run("select", *words) == 2
    assert "a page needs plotly; install sweepless[reports]." in capsys.readouterr().err
    assert not found.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--target", 9], "target"),
        (["--target", 0], "target"),
        (["--budget", 0], "budget"),
        (["--budget", "many"], "budget"),
        (["--backward-budget", -1], "budget"),
        (["--warm-up", "10@9"], "warm-up"),
        (["--warm-up", "lots"], "warm-up"),
        (["--split", "60/60"], "percentages"),
        (["--split", "half"], "--split"),
        (["--method", "XYZ"], "method"),
        (["--method", "SFFS", "--budget", 5], "budget"),
        (["--method", "SFFS", "--option", "max_depth=3"], "max_depth"),
        (["--method", "OS"], "target"),
        (["--option", "nonsense"], "NAME=VALUE"),
        (["--label", "nobody"], "nobody"),
        (["--criterion", "knn", "--n-neighbors", 0], "n_neighbors"),
        (["--criterion", "knn", "--n-neighbors", 1000], "n_neighbors"),
        (["--folds", 1], "folds"),
        (["--floor-fraction", 2], "floor"),
        (["--statistics", "frozen"], "warm-up"),
        (["--proposal", "top-k", "--floor-fraction", 0.1], "floor"),
        (["--seed", -1], "seed"),
        (["--max-evaluations", 0], "max_evaluations"),
        (["--json", "nowhere/at/all.json"], "directory"),
        (["--criterion", "multinomial"], "negative"),
        (["--tuple-size", 0], "tuple_size"),
        (["--start", "99"], "start"),
    ],
)  # fmt: skip
def test_bad_arguments_get_one_sentence(
    table: Path, capsys: pytest.CaptureFixture[str], arguments: list[object], said: str
) -> None:
    assert said in refused(capsys, "--data", table, *arguments)


BAD_FILES = {
    "one_class.csv": ("a,b,class\n1,2,x\n3,4,x\n5,6,x\n", "two classes"),
    "nan.csv": ("a,b,class\n1,nan,x\n3,4,y\n", "line 2"),
    "infinite.csv": ("a,b,class\n1,inf,x\n3,4,y\n", "line 2"),
    "no_label.csv": ("a,b,class\n1,2,\n3,4,y\n", "line 2"),
    "constant.csv": ("a,b,class\n1,2,x\n1,2,y\n1,2,x\n1,2,y\n", "varies"),
    "twice.csv": ("a,a,class\n1,2,x\n3,4,y\n", "'a'"),
    "ragged.csv": ("a,b,class\n1,2,x\n3,y\n", "line 3"),
    "empty.csv": ("", "empty"),
    "wrong_class.arff": ("@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,z\n", "line 5"),
    "truncated.arff": ("@relation r\n@attribute a numeric\n", ""),
    "short.trn": ("#datafile\n#features 2\n#classes 2 1,1\n#data\n1 2 3\n", "4"),
    "garbage.npz": ("this is not a zip file", "garbage.npz"),
    "strange.xyz": ("1,2", "extension"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_get_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    text, said = BAD_FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert said in refused(capsys, "--data", tmp_path / name, "--target", 1)


def test_missing_file_directory_and_truncated_gzip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "absent.csv" in refused(capsys, "--data", tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "directory" in refused(capsys, "--data", tmp_path / "folder.csv")
    (tmp_path / "cut.csv.gz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc")
    assert "cut.csv.gz" in refused(capsys, "--data", tmp_path / "cut.csv.gz")


def test_a_refused_run_leaves_no_file(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "result.json"
    refused(capsys, "--data", table, "--target", 99, "--json", out)
    assert not out.exists()


def test_full_and_none_are_what_a_sweep_does_anyway(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = ["--data", table, "--criterion", "knn", "--method", "SFS", "--target", 3, "--json", "-"]
    results = []
    for extra in ([], ["--budget", "full", "--backward-budget", "full", "--warm-up", "none"]):
        assert run("select", *same, *extra) == 0
        results.append(json.loads(capsys.readouterr().out))
    assert results[0]["archive"] == results[1]["archive"]


def test_every_method_runs_from_the_command_line(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sweepless import METHODS

    for name in METHODS:
        extra = ["--option", "n_probes=50"] if name.startswith("DAF") else []
        assert (
            run("select", "--data", table, "--criterion", "knn", "--method", name, "--target", 3, "--json", "-", *extra)
            == 0
        )
        result = json.loads(capsys.readouterr().out)
        traits = METHODS[name].traits
        assert 3 in [record["size"] for record in result["archive"]] or traits.ends_early
        assert result["size"] == 3 or traits.moves_size or traits.ends_early


@pytest.mark.parametrize("criterion", ["gaussian-nb", "svm", "cfs"])
def test_other_criteria_run_from_the_command_line(
    table: Path, capsys: pytest.CaptureFixture[str], criterion: str
) -> None:
    arguments = ["--data", table, "--criterion", criterion, "--method", "SFS", "--target", 2, "--json", "-"]
    assert run("select", *arguments) == 0
    assert json.loads(capsys.readouterr().out)["size"] == 2


def test_methods_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    from sweepless import METHODS

    assert run("methods") == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert set(METHODS) <= set(listed)


def test_version_loads_nothing_heavy() -> None:
    code = (
        "import sys, sweepless.cli\n"
        "try: sweepless.cli.main(['--version'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numba', 'sklearn', 'scipy.sparse') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[1] == "[]"


def test_importing_the_package_loads_no_numba() -> None:
    code = "import sys, sweepless; print('numba' in sys.modules, 'sklearn' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.startswith("False False")


def test_a_crash_is_told_without_a_traceback(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sweepless.data

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(sweepless.data, "load", broken)
    assert run("select", "--data", table) == 1
    error = capsys.readouterr().err
    assert "boom" in error
    assert "Traceback" not in error


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_progress_line_appears_on_a_terminal_only(table: Path) -> None:
    import pty

    command = [
        sys.executable,
        "-m",
        "sweepless",
        "select",
        "--data",
        str(table),
        "--label",
        "answer",
        "--criterion",
        "knn",
        "--method",
        "SFRS",
    ]
    leader, follower = pty.openpty()
    subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, check=True)
    os.close(follower)
    assert b"evaluations" in os.read(leader, 65536)
    os.close(leader)
    quiet = subprocess.run(command, capture_output=True, check=True)
    assert quiet.stderr == b""
