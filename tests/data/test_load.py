"""The one door: names, extensions, and everything a path can be instead of a file."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless.data import load, make_madelon, register, sources
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError

ARFF = "@attribute x real\n@attribute class {a,b}\n@data\n1,a\n2,b\n"
NPZ = io.BytesIO()
np.savez(NPZ, X=[[1.0], [2.0]], y=[0, 1])
CONTENTS = {
    ".csv": "x,y\n1,a\n2,b\n",
    ".tsv": "x\ty\n1\ta\n2\tb\n",
    ".tab": "x\ty\n1\ta\n2\tb\n",
    ".txt": "x;y\n1;a\n2;b\n",
    ".arff": ARFF,
    ".ARFF": ARFF,
    ".npz": NPZ.getvalue(),
    ".svm": "0 1:1\n1 1:2\n",
    ".svmlight": "0 1:1\n1 1:2\n",
    ".libsvm": "0 1:1\n1 1:2\n",
}


@pytest.mark.parametrize("packing", ["", ".gz"])
@pytest.mark.parametrize("extension", CONTENTS)
def test_every_extension(write, extension, packing):
    path = write(f"two.samples{extension}{packing}", CONTENTS[extension])
    for source in (path, str(path)):
        dataset = load(source)
        X = dataset.X if isinstance(dataset.X, np.ndarray) else dataset.X.toarray()
        assert X.tolist() == [[1], [2]] and dataset.codes.tolist() == [0, 1]
        assert dataset.name == "two.samples"


def test_gzip_is_recognised_by_its_content(write):
    assert load(write("hidden.csv", gzip.compress(CONTENTS[".csv"].encode()))).n_samples == 2


def test_synthetic():
    assert np.array_equal(load("make_madelon", seed=5).X, make_madelon(seed=5).X)


def test_label_is_passed_on(write):
    assert load(write("l.csv", "a,b\n1,2\n3,4\n"), label="a").y.tolist() == [1, 3]
    assert load(write("l.arff", ARFF.replace("class", "kind")), label="kind").y.tolist() == ["a", "b"]


@pytest.mark.parametrize("extension", [".npz", ".svm"])
def test_label_must_mean_something(write, extension):
    with pytest.raises(InputError, match="`label` must be left out"):
        load(write(f"n{extension}", CONTENTS[extension]), label=0)


def test_options_that_a_source_does_not_have_are_refused(write):
    path = write("r.csv", CONTENTS[".csv"])
    with pytest.raises(InputError, match="`label` must be left out for make_madelon, whose options are n_samples, "):
        load("make_madelon", label="class")
    with pytest.raises(InputError, match=r"`seed` must be left out for .*r.csv, whose options are label, drop, delim"):
        load(path, seed=3)
    with pytest.raises(InputError, match=r"`drop` must be left out for .*n.npz, whose options are none, got \['x'\]"):
        load(write("n.npz", CONTENTS[".npz"]), drop=["x"])
    assert load(path, seed=None, drop=[]).n_samples == 2  # None and no columns are nothing


def test_options_reach_the_function_that_loads(write):
    assert load("make_madelon", n_samples=30, n_features=25).X.shape == (30, 25)
    assert load(write("bars.csv", "x|y\n1|a\n2|b\n"), delimiter="|").n_samples == 2


def test_registered_sources_are_loaded(write, monkeypatch):
    monkeypatch.setattr(sources, "_SETS", dict(sources._SETS))
    monkeypatch.setattr(sources, "_READERS", dict(sources._READERS))
    register("pair", lambda *, top=1: Dataset([[0], [top]], [0, 1]))
    register(".pair", lambda path: Dataset([[0], [len(path.read_text())]], [0, 1]))
    assert load("pair").X.max() == 1 and load("pair", top=5).X.max() == 5
    assert load(write("file.pair", "four")).X.max() == 4
    with pytest.raises(InputError, match="`top` must be left out for"):
        load(write("file.pair", "four"), top=5)


GARBAGE = bytes(range(256)) * 4


@pytest.mark.parametrize("extension", [key for key in CONTENTS if key != ".ARFF"])
def test_what_is_no_data_file(tmp_path, extension):
    path = tmp_path / f"bad{extension}"
    packed = tmp_path / f"bad{extension}.gz"
    with pytest.raises(DataError, match="must be an existing file, got a path that does not exist"):
        load(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="must hold data, got an empty file"):
        load(path)
    path.write_bytes(GARBAGE)
    with pytest.raises(DataError, match="must be"):
        load(path)
    content = CONTENTS[extension]
    raw = content.encode() if isinstance(content, str) else content
    packed.write_bytes(gzip.compress(raw)[:-9])
    with pytest.raises(DataError, match="must be a complete gzip file, got: "):
        load(packed)
    packed.write_bytes(raw)
    with pytest.raises(DataError, match="must be a complete gzip file, got: "):
        load(packed)
    packed.write_bytes(gzip.compress(b""))
    with pytest.raises(DataError, match="must hold data, got an empty file"):
        load(packed)
    path.unlink()
    path.mkdir()
    with pytest.raises(DataError, match="must be a file, got a directory"):
        load(path)


def test_other_sources(tmp_path):
    with pytest.raises(DataError, match=r"must be the path of a file, or one of make_madelon.*, got 'madelom'"):
        load("madelom")
    with pytest.raises(DataError, match="must be a file, got a directory"):
        load(tmp_path)
    for name, got in (("a.xls", ".xls"), ("bare", "none"), ("b.xls.gz", ".xls")):
        (tmp_path / name).write_text("x")
        with pytest.raises(DataError, match=f"must have one of the extensions .csv, .*, got {got}"):
            load(tmp_path / name)
    for source in ("a\0b.csv", "a\0b"):
        with pytest.raises(DataError):
            load(source)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_forbidden_file(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("1,2\n")
    path.chmod(0)
    with pytest.raises(DataError, match="must be a readable file, got: Permission denied"):
        load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x,y\n1,2\n\xff\xfe,3\n", "line 3: the file must be UTF-8 text, got other bytes"),
        (b"x,y\n1,\0\n", "line 2: the file must be UTF-8 text, got binary content"),
        ("x,y\n1,2\n".encode("utf-16"), "line 1: the file must be UTF-8 text"),
        (b" \n\n", "must hold data, got an empty file"),
    ],
)
def test_texts_that_are_none(write, content, message):
    with pytest.raises(DataError, match=message):
        load(write("odd.csv", content))


@settings(max_examples=100, deadline=None)
@given(noise=st.binary(min_size=1, max_size=60), extension=st.sampled_from(sorted(CONTENTS)))
def test_noise_is_one_sentence_or_harmless(write, noise, extension):
    try:
        load(write(f"noise{extension}", noise))
    except DataError as error:
        assert str(error).endswith(".") and "\n" not in str(error)


def test_import_is_light():
    code = """if True:
        import sys, sweepless  # what the package itself imports is not this room's business
        before = set(sys.modules)
        import sweepless.data
        sys.exit(any(name.split(".")[0] in ("sklearn", "numba") for name in set(sys.modules) - before))
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
