"""Following a journal that another process writes: only what is new, and never a byte of change."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

from sweepless import METHODS, Dataset, Journal, resume, run
from sweepless.criteria import FunctionCriterion
from sweepless.errors import JournalError
from sweepless.journal import follow
from sweepless.journal.follow import Follower
from sweepless.journal.lines import as_line
from sweepless.journal.watch import WatchedRun
from sweepless.schema.journal import FORMAT
from sweepless.search import WarmUp
from tests.journal.twins import CRITERIA, hilly, options_of, recorded, small_data

HEADER = {
    "format": FORMAT,
    "settings": {"method": "SFFS", "target": None, "seed": 5},
    "direction": "ADD",
    "criterion": {"is": "a.b.KNN", "n_neighbors": 3},
    "data": {"kind": "dense", "shape": [10, 20], "dtype": "float64", "X": "0", "y": None},
    "limits": {"max_size": None},
    "versions": {},
}


def framed(*records):
    return b"".join(as_line(n, kind, fields) for n, (kind, fields) in enumerate(records))


def step(size, value, total, direction="forward", **other):
    """A step that led to a size, after so many evaluations."""
    return (
        "step",
        {
            "size": size,
            "best_size": None,
            "best_value": None,
            "n_evaluations": total,
            "direction": direction,
            "features": [3],
            "value": value,
            "phase": direction,
            "of": "00000000",
            "seconds": 0.5 * total if isinstance(total, int) else 0.0,
        }
        | other
        | {"values": other.get("values", "")},
    )


def seen(path):
    watched = WatchedRun(path)
    watched.read()
    return watched.to_dict()


@pytest.fixture
def journal(tmp_path, fine_grained):
    path = tmp_path / "run.jsonl"
    return path, recorded(path, "sSFFS", CRITERIA["function"], small_data(), **options_of("sSFFS"))


# What is seen is what happened


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_watched_run_is_the_run(name, tmp_path):
    path = tmp_path / "run.jsonl"
    result = recorded(path, name, FunctionCriterion(hilly), small_data(), **options_of(name))
    state = seen(path)
    ahead = "forward" if METHODS[name].direction.adds else "backward"
    moves = [step.direction for step in result.trace]
    assert state["state"] == "ended" and state["stop_reason"] == result.stop_reason.value
    assert dict(state["curve"]) == {size: record.value for size, record in result.archive.items()}
    assert (state["best_size"], state["best_value"]) == (result.archive.best.size, result.archive.best.value)
    assert state["n_evaluations"] == result.n_evaluations
    assert state["n_advances"] == moves.count(ahead)
    assert state["n_recalls"] == moves.count("recall")
    assert state["n_advances"] + state["n_retreats"] + state["n_recalls"] == len(moves)
    assert state["run"]["method"] == name and state["run"]["n_features"] == 7
    assert state["path"] == [(step.n_evaluations, step.size) for step in result.trace]


def test_every_prefix_can_be_watched(journal):
    path, result = journal
    content = path.read_bytes()
    path.write_bytes(b"")
    watched = WatchedRun(path)
    before, sizes = -1, set()
    for end in range(0, len(content) + 1, 7):
        path.write_bytes(content[:end])
        watched.read()
        state = watched.to_dict()
        assert state["n_evaluations"] >= before
        before = state["n_evaluations"]
        sizes.add(state["n_sizes"])
        assert state["n_records"] == content[:end].count(b"\n")
    path.write_bytes(content)
    watched.read()
    assert watched.state == "ended" and watched.to_dict()["n_evaluations"] == result.n_evaluations
    assert len(sizes) > 3


def test_a_resumed_run_goes_on(tmp_path):
    path, data, criterion = tmp_path / "run.jsonl", small_data(), FunctionCriterion(hilly)
    run("SFFS", criterion, data, max_evaluations=20, journal=Journal(path))
    watched = WatchedRun(path)
    watched.read()
    assert watched.state == "ended" and watched.to_dict()["limits"] == {"max_evaluations": 20}
    whole = resume(path, criterion, data, max_evaluations=None)
    watched.read()
    state = watched.to_dict()
    assert state["n_resumed"] == 1 and state["limits"] == {} and state["stop_reason"] == "completed"
    assert state["n_evaluations"] == whole.n_evaluations
    assert state["n_advances"] + state["n_retreats"] == len(whole.trace)


def test_a_start_is_on_the_curve(tmp_path):
    path = tmp_path / "run.jsonl"
    result = recorded(path, "SFS", FunctionCriterion(hilly), small_data(), start=[1, 4], target=3)
    assert dict(seen(path)["curve"]) == {size: record.value for size, record in result.archive.items()}


def test_evaluations_count_before_the_first_step(tmp_path, fine_grained):
    path = tmp_path / "run.jsonl"
    run(
        "sSFS",
        FunctionCriterion(hilly),
        small_data(),
        target=3,
        warm_up=WarmUp(50, 2),
        max_evaluations=30,
        journal=Journal(path),
    )
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b'"kind":"end"' not in line))
    state = seen(path)
    assert (state["phase"], state["n_evaluations"], state["state"]) == ("probes", 30, "running")


# The file


def test_nothing_is_changed_or_locked(journal):
    path, _ = journal
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])  # torn: others would repair it
    path.chmod(0o400)
    before = path.stat()
    seen(path)
    after = path.stat()
    assert path.read_bytes() == whole[:-5]
    assert (before.st_mtime_ns, before.st_ino, before.st_mode) == (after.st_mtime_ns, after.st_ino, after.st_mode)
    assert list(path.parent.iterdir()) == [path]


def test_a_run_can_be_resumed_while_it_is_watched(journal):
    path, result = journal
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:9]) + lines[9][:-4])
    watched = WatchedRun(path)
    watched.read()
    assert watched.to_dict()["n_records"] == 9
    with pytest.warns(UserWarning, match="cut short"):
        resume(path, CRITERIA["function"], small_data())
    watched.read()
    assert watched.state == "ended" and watched.to_dict()["n_evaluations"] == result.n_evaluations


def test_only_new_bytes_are_read(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    lines = [("header", HEADER), *(step(k + 1, 0.001 * k, 10 * k) for k in range(5_000))]
    content = framed(*lines)
    path.write_bytes(content)
    watched = WatchedRun(path)
    watched.read()
    seen = []
    original = follow._next
    monkeypatch.setattr(follow, "_next", lambda file, name: seen.append(line := original(file, name)) or line)
    with path.open("ab") as file:
        file.write(as_line(len(lines), *step(5_001, 9.0, 50_000)))
    assert watched.refresh() and not watched.refresh()
    assert [None if line is None else line.length for line in seen[1:]] == [None, None]
    assert seen[0].length < 400
    assert watched.to_dict()["n_records"] == len(lines) + 1


def test_memory_stays_small(tmp_path):
    path = tmp_path / "run.jsonl"
    with path.open("wb") as file:
        file.write(as_line(0, "header", HEADER))
        for n in range(1, 20):
            file.write(as_line(n, *step(n + 1, 0.1 * n, 10 * n, values="A" * 4_000_000)))
        file.write(as_line(20, *step(21, 0.5, 200, values="A" * (40 << 20))))
        file.write(as_line(21, *step(22, 7.0, 210)))
    assert path.stat().st_size > 100e6
    tracemalloc.start()
    try:
        state = seen(path)
        assert tracemalloc.get_traced_memory()[1] < 80e6
    finally:
        tracemalloc.stop()
    assert state["n_records"] == 22 and state["best_value"] == 7.0


def test_long_runs_are_thinned(tmp_path):
    path = tmp_path / "run.jsonl"
    n_steps = 5_000
    path.write_bytes(framed(("header", HEADER), *(step(k + 1, -abs(k - 3_333), k) for k in range(n_steps))))
    state = seen(path)
    assert state["n_sizes"] == n_steps and len(state["curve"]) <= 400 and len(state["path"]) <= 802
    assert (3_334, 0.0) in state["curve"]
    assert state["path"][-1] == (n_steps - 1, n_steps)


def test_a_big_file_is_read_in_parts(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    path.write_bytes(framed(("header", HEADER), *(step(k + 1, 0.1 * k, k) for k in range(100))))
    follower = Follower(path)
    parts = 0
    while follower.n_records < 101:
        assert list(follower.poll(most=5_000))
        parts += 1
    assert parts > 3 and not list(follower.poll())


def test_replaced_cut_and_removed_files_begin_anew(tmp_path):
    path, other = tmp_path / "run.jsonl", tmp_path / "other.jsonl"
    first = framed(("header", HEADER), step(1, 1.0, 5), step(2, 2.0, 10))
    second = framed(("header", HEADER), step(1, 8.0, 6), step(2, 9.0, 12), step(3, 9.5, 18))
    watched = WatchedRun(path)
    assert not watched.refresh() and watched.state == "waiting"
    path.write_bytes(first)
    watched.read()
    assert watched.to_dict()["best_value"] == 2.0
    other.write_bytes(second)
    other.replace(path)  # another file
    watched.read()
    assert watched.to_dict()["best_value"] == 9.5
    path.write_bytes(first)  # shorter
    watched.read()
    assert watched.to_dict()["best_value"] == 2.0
    path.write_bytes(second)  # longer, in place
    watched.read()
    assert watched.to_dict()["best_value"] == 9.5 and watched.to_dict()["n_records"] == 4
    path.unlink()
    watched.read()
    assert watched.state == "waiting" and watched.to_dict()["best_value"] is None


# Damage and hostility


def test_damage_is_an_error_only_if_more_follows(tmp_path):
    path = tmp_path / "run.jsonl"
    good = framed(("header", HEADER), step(1, 1.0, 5))
    bad = as_line(2, *step(2, 2.0, 10)).replace(b"2.0", b"3.0")
    path.write_bytes(good + bad)
    watched = WatchedRun(path)
    watched.read()
    assert watched.to_dict()["n_records"] == 2
    with path.open("ab") as file:
        file.write(as_line(3, *step(3, 4.0, 15)))
    with pytest.raises(JournalError, match=r"line 3 .* damage"):
        watched.read()


@pytest.mark.parametrize(
    "record",
    [
        step(0, "high", 5),
        step("0", 1.0, 5),
        step(0, 1.0, 5, direction="sideways"),
        step(0, 1.0, []),
        step(10**30, 1.0, 5),
        step(-1, 1.0, 5),
        step(True, 1.0, 5),
        step(0, 1.0, 5, best_size=-7),
        ("end", {"reason": 3}),
        ("resumed", {"limits": []}),
        ("values", {"phase": None, "of": "", "values": "", "seconds": 1.0}),
        ("step", {"values": ""}),
    ],
)
def test_records_that_make_no_sense_are_one_sentence(record, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(framed(("header", HEADER), record))
    with pytest.raises(JournalError) as raised:
        seen(path)
    assert str(raised.value).startswith("line 2 of ") and str(raised.value).endswith(".")


def test_headers_that_make_no_sense_are_errors(tmp_path):
    path = tmp_path / "run.jsonl"
    for header in (
        {"format": FORMAT},
        {"format": 99},
        HEADER | {"settings": None},
        HEADER | {"data": HEADER["data"] | {"shape": ["a", 1]}},
    ):
        path.write_bytes(framed(("header", header)))
        with pytest.raises(JournalError):
            seen(path)
    with pytest.raises(JournalError, match="must be a file"):
        seen(tmp_path)


def test_names_cannot_command_a_terminal(tmp_path):
    path = tmp_path / "run.jsonl"
    header = json.loads(json.dumps(HEADER))
    header["settings"]["method"] = "\x1b]0;title\x07\x1b[2J" + "long" * 100
    header["criterion"] = {"is": "m.K\x1b[31m", "path": "/secret/place", "\x9b2J": 4}
    path.write_bytes(framed(("header", header)))
    shown = seen(path)["run"]
    assert all(text.isprintable() for text in (shown["method"], shown["criterion"]))
    assert len(shown["method"]) == 60 and "secret" not in shown["criterion"]


def test_a_note_is_not_seen(tmp_path):
    path = tmp_path / "run.jsonl"
    data = Dataset(np.eye(6), [0, 1] * 3, name="private name")
    run("SFS", FunctionCriterion(hilly), data, target=2, journal=Journal(path, note={"command": ["/secret/place"]}))
    assert "secret" not in json.dumps(seen(path)) and "private" not in json.dumps(seen(path))
