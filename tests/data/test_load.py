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

from sweepless.data import load, make_madelon
from sweepless.errors import DataError, InputError

ARFF = "@attribute x real\n@attribute class {a,b}\n@data\n1,a\n2,b\n"
TRN = "#datafile\n#features 1\n#classes 2 1,1\n1 2\n"
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
    ".trn": TRN,
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


@pytest.mark.parametrize("extension", [".npz", ".trn", ".svm"])
def test_label_must_mean_something(write, extension):
    with pytest.raises(InputError, match="`label` must be left out"):
        load(write(f"n{extension}", CONTENTS[extension]), label=0)


def test_arguments_that_cannot_be_meant(write):
    path = write("r.csv", CONTENTS[".csv"])
    with pytest.raises(InputError, match="`label` must be left out for madelon"):
        load("madelon", label="class")
    with pytest.raises(InputError, match="`row_order` 'paper' must go with one of madelon"):
        load(path, row_order="paper")
    with pytest.raises(InputError, match="`row_order` must be one of auto, paper, file, got 'any'"):
        load(path, row_order="any")


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
    with pytest.raises(DataError, match=r"`source` must be one of madelon, .*, or the path of a file"):
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
