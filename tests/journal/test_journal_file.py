"""What a damaged, foreign or unwritable journal leads to: one sentence, and a file as it was."""

from __future__ import annotations

import errno
import json
import os
import warnings
from zlib import crc32

import numpy as np
import pytest
from scipy import sparse

from sweepless import Dataset, Journal, resume, run
from sweepless.criteria import KNN, EstimatorCriterion, FunctionCriterion
from sweepless.errors import CriterionError, InputError, JournalError, JournalWarning, SweeplessError
from sweepless.journal.fingerprint import fingerprint
from sweepless.journal.lines import scan
from sweepless.journal.replay import packed, unpacked
from tests.journal.twins import CRITERIA, facts, hilly, options_of, recorded, small_data

OPTIONS = options_of("sSFFS")


@pytest.fixture
def journal(tmp_path, fine_grained):
    """A finished journal and the facts of its run."""
    path = tmp_path / "run.jsonl"
    return path, facts(recorded(path, "sSFFS", KNN(), small_data(), **OPTIONS))


def refused(path, sentence, criterion=None, data=None, error=JournalError, **limits):
    """Check that a resume says the sentence and changes nothing."""
    before = path.read_bytes()
    with pytest.raises(error, match=sentence) as raised:
        resume(path, criterion or KNN(), data or small_data(), **limits)
    assert path.read_bytes() == before
    text = str(raised.value)
    assert text.endswith(".") and "\n" not in text
    return text


def reframed(record):
    """Write a record with a true checksum, whatever it says."""
    text = json.dumps({name: value for name, value in record.items() if name != "crc"}, separators=(",", ":")).encode()
    return text[:-1] + b',"crc":"%08x"}\n' % crc32(text[:-1])


# The format


def test_every_line_is_json_and_numbered(journal):
    path, expected = journal
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [record["n"] for record in records] == list(range(len(records)))
    assert {record["kind"] for record in records} == {"header", "values", "step", "end"}
    header, end = records[0], records[-1]
    assert header["format"] == 4
    settings = header["settings"]
    assert settings["method"] == "sSFFS" and settings["budget"] == 3
    assert settings["warm_up"] == {
        "name": "warm-up",
        "n_probes": 4,
        "probe_size": 2,
        "mirror": False,
        "max_seconds": None,
        "looks": False,
    }
    assert (settings["rng"], settings["seed"], settings["rng_position"]) == ("portable", 0, 0)
    assert header["data"]["shape"] == [24, 7]
    assert {"sweepless", "python", "numpy", "scipy"} <= set(header["versions"])
    assert end["n_evaluations"] == expected["anatomy"]["total"]


def test_step_records_are_the_trajectory(journal):
    path, expected = journal
    steps = [r for r in map(json.loads, path.read_text().splitlines()) if r["kind"] == "step"]
    for name in ("direction", "size", "features", "value", "n_evaluations"):
        assert [step[name] for step in steps] == [step[name] for step in expected["trace"]]


def test_records_hold_every_value_once(journal):
    path, expected = journal
    records = [r for r in map(json.loads, path.read_text().splitlines()) if "values" in r]
    assert sum(len(unpacked(record["values"])) for record in records) == expected["anatomy"]["total"]


def test_values_survive_bit_for_bit():
    values = np.array([0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3])
    assert unpacked(packed(values)).tobytes() == values.tobytes()


# Damage


def test_a_torn_last_record_is_dropped_with_a_warning(journal):
    path, expected = journal
    content = path.read_bytes()
    path.write_bytes(content[:-5])
    with pytest.warns(JournalWarning, match="cut short"):
        assert facts(resume(path, KNN(), small_data())) == expected
    assert path.read_bytes().count(b"\n") == content.count(b"\n")


def test_damage_anywhere_else_is_an_error_that_names_the_line(journal):
    path, _ = journal
    lines = path.read_bytes().splitlines(keepends=True)
    for number in range(len(lines) - 1):
        newline = [len(lines[number]) - 1] if number < len(lines) - 2 else []  # or it would end the file
        for place in (0, len(lines[number]) // 2, *newline):
            damaged = bytearray(lines[number])
            damaged[place] ^= 1
            path.write_bytes(b"".join([*lines[:number], bytes(damaged), *lines[number + 1 :]]))
            assert f"line {number + 1} " in refused(path, "is damaged|complete header")


def test_lost_and_doubled_lines_are_noticed(journal):
    path, _ = journal
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in (lines[:4] + lines[5:], lines[:4] + lines[3:], lines[:3] + [lines[4], lines[3]] + lines[5:]):
        path.write_bytes(b"".join(changed))
        refused(path, "must be record")


@pytest.mark.parametrize("content", [b"", b"\n", b"a,b\n1,2\n", b"{}\n{}\n", b"\x00" * 100, b'{"n":0,"kind":"header"'])
def test_other_files_are_not_journals(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    refused(path, "header|damage")


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(JournalError, match="could not be read: No such file"):
        resume(tmp_path / "none", KNN(), small_data())


def test_a_bad_first_record_does_not_cost_the_file(journal):
    path, _ = journal
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], reframed(json.loads(lines[1]) | {"values": 7}), *lines[2:]]))
    refused(path, r"line 2 .*`values` must be text, got 7")


def test_records_that_make_no_sense_are_refused_with_their_line(journal):
    path, _ = journal
    lines = path.read_bytes().splitlines(keepends=True)
    rng = np.random.default_rng(7)
    strange = [None, -1, 10**30, 2.5, "x", "", [], {}, [[]], "AAAA", True, [10**9], {"dtype": "<f8", "zip": "AAAA"}]
    n_refused = 0
    for _ in range(250):
        number = int(rng.integers(0, len(lines) - 1))
        record = json.loads(lines[number])
        target = record
        name = rng.choice([key for key in record if key not in ("n", "crc")])
        while isinstance(target[name], dict) and target[name] and rng.random() < 0.7:
            target = target[name]
            name = rng.choice(list(target))
        target[name] = strange[rng.integers(len(strange))]
        path.write_bytes(b"".join([*lines[:number], reframed(record), *lines[number + 1 :]]))
        before = path.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                resume(path, KNN(), small_data())
        except SweeplessError:
            n_refused += 1
            assert path.read_bytes() == before
    assert n_refused > 100


# Another run


def test_other_data_are_refused(journal):
    path, _ = journal
    X, y = small_data().X.copy(), small_data().y.copy()
    refused(path, r"other data, with shape \[24, 7\], got \[24, 6\]", data=Dataset(X[:, :6], y))
    X[3, 2] += 1e-9
    refused(path, "other data, with X", data=Dataset(X, y))
    y[0] = 1 - y[0]
    refused(path, "other data, with y", data=Dataset(small_data().X, y))
    refused(path, "other data, with dtype", data=Dataset(small_data().X.astype(np.float32), small_data().y))


def test_another_criterion_is_refused(journal):
    path, _ = journal
    refused(path, "another run, with criterion.n_neighbors 1, got 3", criterion=KNN(n_neighbors=3))
    refused(path, "another run, with criterion.folds", criterion=KNN(folds=[0, 1] * 12))
    refused(path, "another run, with criterion", criterion=FunctionCriterion(hilly))


def test_threads_are_not_part_of_the_run(journal):
    path, expected = journal
    assert facts(resume(path, KNN(n_jobs=2), small_data())) == expected


def test_estimators_are_compared_by_their_parameters(tmp_path, fine_grained):
    from sklearn.naive_bayes import GaussianNB

    path, data = tmp_path / "run.jsonl", small_data(5)
    recorded(path, "SFS", CRITERIA["estimator"], data, target=2)
    refused(path, "criterion.estimator.var_smoothing", EstimatorCriterion(GaussianNB(var_smoothing=0.5), cv=2), data)
    refused(path, "criterion.cv 2, got 3", EstimatorCriterion(GaussianNB(), cv=3), data)


def test_other_settings_are_refused(journal):
    path, _ = journal
    refused(path, "another run, with budget 3, got 4", budget=4)
    refused(path, 'another run, with method "sSFFS", got "sSFS"', method="sSFS")
    refused(path, "another run, with target null, got 3", target=3)
    refused(path, "may change when a run is resumed", depth=3, error=InputError)


def test_a_step_that_the_search_does_not_take_is_refused(journal):
    path, _ = journal
    lines = path.read_bytes().splitlines(keepends=True)
    number, record = next((k, r) for k, r in enumerate(map(json.loads, lines)) if r["kind"] == "step")
    record["value"] += 1.0
    path.write_bytes(b"".join([*lines[:number], reframed(record), *lines[number + 1 :]]))
    refused(path, rf"line {number + 1} .* must have value")


def test_another_format_is_refused(journal):
    path, _ = journal
    lines = path.read_bytes().splitlines(keepends=True)
    header = json.loads(lines[0]) | {"format": 2}
    path.write_bytes(reframed(header) + b"".join(lines[1:]))
    refused(path, "must have format 4, got 2")


def test_other_versions_are_a_warning(journal):
    path, expected = journal
    lines = path.read_bytes().splitlines(keepends=True)
    header = json.loads(lines[0])
    header["versions"]["numpy"] = "1.0"
    path.write_bytes(reframed(header) + b"".join(lines[1:]))
    with pytest.warns(JournalWarning, match='numpy "1.0"'):
        assert facts(resume(path, KNN(), small_data())) == expected


def test_a_new_run_never_overwrites(journal):
    path, _ = journal
    before = path.read_bytes()
    with pytest.raises(JournalError, match="must be a new file"):
        run("sSFFS", KNN(), small_data(), journal=Journal(path))
    assert path.read_bytes() == before


def test_a_journal_belongs_to_one_run_at_a_time(journal):
    pytest.importorskip("fcntl")
    path, _ = journal
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:6]))
    messages = []

    def meddle(progress):
        if not messages:
            try:
                resume(path, KNN(), small_data())
            except JournalError as error:
                messages.append(str(error))

    resume(path, KNN(), small_data(), callbacks=[meddle])
    assert "is in use by another run" in messages[0]


def test_a_journal_that_grew_since_it_was_read_is_left_alone(journal):
    path, expected = journal
    content = path.read_bytes()
    path.write_bytes(b"".join(content.splitlines(keepends=True)[:6]))
    found = scan(path)
    path.write_bytes(content)  # meanwhile somebody else went on with it
    with pytest.raises(JournalError, match="changed while it was read"):
        run("sSFFS", KNN(), small_data(), journal=Journal(path, resumes=found), **OPTIONS)
    assert path.read_bytes() == content
    assert facts(resume(path, KNN(), small_data())) == expected


def test_limits_and_notes_of_any_kind_are_kept(tmp_path):
    path, limits = tmp_path / "run.jsonl", {"max_evaluations": np.int64(500), "max_seconds": np.inf, "tol": 0}
    expected = facts(recorded(path, "SFS", KNN(), small_data(), target=np.int32(3), **limits))
    assert facts(resume(path, KNN(), small_data())) == expected
    with pytest.raises(InputError, match="`note` must be a JSON value"):
        Journal(tmp_path / "other", note=object())


@pytest.mark.parametrize("journal", ["run.jsonl", 3])
def test_a_journal_must_be_one(journal):
    with pytest.raises(InputError, match="`journal` must be a Journal"):
        run("SFS", KNN(), small_data(), journal=journal)


# The disk


def test_an_unwritable_place_is_one_sentence_before_the_search(tmp_path):
    with pytest.raises(JournalError, match="could not be written: No such file or directory"):
        run("SFS", KNN(), small_data(), journal=Journal(tmp_path / "missing" / "run.jsonl"))
    with pytest.raises(JournalError, match=r"could not be written: Is a directory|must be a new file"):
        run("SFS", KNN(), small_data(), journal=Journal(tmp_path))


def test_a_run_that_fails_before_it_began_leaves_nothing(tmp_path):
    def broken(members):
        raise ValueError("no")

    path = tmp_path / "run.jsonl"
    with pytest.raises(CriterionError):
        run("SFS", FunctionCriterion(broken), small_data(), journal=Journal(path))
    assert not path.exists()


def test_a_criterion_that_fails_midway_loses_nothing(tmp_path, fine_grained):
    path, data = tmp_path / "run.jsonl", small_data()
    expected = facts(run("SFFS", FunctionCriterion(hilly), data))
    left = 30

    def failing(members):
        nonlocal left
        left -= 1
        return np.nan if left == 0 else hilly(members)

    failing.__module__, failing.__qualname__ = hilly.__module__, hilly.__qualname__  # the same function, mended
    with pytest.raises(CriterionError, match="finite"):
        run("SFFS", FunctionCriterion(failing), data, journal=Journal(path))
    assert facts(resume(path, FunctionCriterion(hilly), data)) == expected


@pytest.mark.parametrize("room", [700, 2500, 4000, 6001, 9000])
@pytest.mark.parametrize("partial", [True, False])
def test_a_full_disk_stops_the_run_and_the_journal_can_be_resumed(room, partial, tmp_path, fine_grained, monkeypatch):
    path, data = tmp_path / "run.jsonl", small_data()
    expected = facts(run("sSFFS", KNN(), data, **OPTIONS))
    write = os.write

    def small_disk(file, text):
        left = room - path.stat().st_size
        if left >= len(text):
            return write(file, text)
        if left > 0 and partial:
            return write(file, bytes(text)[:left])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.write", small_disk)
    with pytest.raises(JournalError, match="could not be written: No space left on device"):
        run("sSFFS", KNN(), data, journal=Journal(path), **OPTIONS)
    monkeypatch.undo()
    if room < 1500:  # not even the header found room
        assert not path.exists()
        return
    assert path.read_bytes().endswith(b"}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert facts(resume(path, KNN(), data)) == expected


def test_the_disk_is_forced_as_often_as_asked(tmp_path, monkeypatch):
    counts = []
    for every in (0.0, 1e9):
        forced = []
        monkeypatch.setattr("os.fsync", lambda file, forced=forced: forced.append(file))
        run("sSFFS", KNN(), small_data(), journal=Journal(tmp_path / f"{every}", fsync_every=every), **OPTIONS)
        counts.append(len(forced))
    n_records = (tmp_path / "0.0").read_bytes().count(b"\n")
    assert counts[0] >= n_records and counts[1] == 2  # header and end
    with pytest.raises(InputError, match="`fsync_every`"):
        Journal(tmp_path / "x", fsync_every=-1)


# The fingerprint


def test_memory_layout_and_byte_order_do_not_change_the_fingerprint():
    X, y = small_data().X, small_data().y
    same = [X.copy(order="F"), X.astype(">f8"), np.repeat(X, 2, axis=0)[::2]]
    assert all(fingerprint(Dataset(other, y)) == fingerprint(Dataset(X, y)) for other in same)
    labels = np.array(["no", "yes"])[y]
    assert fingerprint(Dataset(X, labels)) == fingerprint(Dataset(X, labels.astype(">U3")))
    assert fingerprint(Dataset(X, labels)) != fingerprint(Dataset(X, y))


def test_sparse_data_have_a_fingerprint_of_their_own():
    X, y = small_data().X, small_data().y
    one = fingerprint(Dataset(sparse.csc_matrix(X), y))
    assert one == fingerprint(Dataset(sparse.csr_matrix(X), y))
    other = X.copy()
    other[X > 0] += 1e-12
    assert one != fingerprint(Dataset(sparse.csc_matrix(other), y))
    assert one.kind == "sparse"


def test_the_fingerprint_makes_no_second_copy():
    import tracemalloc

    data = Dataset(np.zeros((4000, 3000), order="F"))
    tracemalloc.start()
    fingerprint(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < data.X.nbytes / 4
