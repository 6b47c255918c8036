"""The benchmark sets: the real ones if they are here, and how their files can be wrong."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from sweepless.data import load
from sweepless.data.files import read_bytes
from sweepless.errors import DataError, InputError
from sweepless.paper import find_data_dir, load_named
from sweepless.paper.named_sets import NAMED
from tests.promised import missing

# Of the uncompressed texts: beginning and end, as the paper's files have them.
PINS = {
    ("madelon", "madelon_train.data"): ("0b6e37711efd", "2314"),
    ("madelon", "madelon_train.labels"): ("10bffcc3b017", "8689"),
    ("gisette", "gisette_valid.data"): ("5cea897956dd", "2254"),
    ("gisette", "gisette_valid.labels"): ("a6b857a04480", "08c5"),
}


def real(name, data_dir):
    try:
        return find_data_dir(name, data_dir)
    except DataError as error:
        missing("SWEEPLESS_REQUIRE_DATA", str(error))


@pytest.mark.paper
@pytest.mark.parametrize(("name", "file"), PINS)
def test_pins(data_dir, name, file):
    directory = real(name, data_dir)
    path = directory / file if (directory / file).exists() else directory / f"{file}.gz"
    digest = hashlib.sha256(read_bytes(path)).hexdigest()
    assert (digest[:12], digest[-4:]) == PINS[name, file]


@pytest.mark.paper
@pytest.mark.parametrize(("name", "total"), [("madelon", 488083511), ("gisette", 535016668)])
def test_real_dense_sets(data_dir, name, total):
    directory = real(name, data_dir)
    dataset = load(name, data_dir=data_dir, row_order="file")
    assert dataset.X.dtype == np.float64 and dataset.X.sum() == total
    assert dataset.class_sizes.tolist() == [dataset.n_samples // 2] * 2
    assert dataset.classes.tolist() == ([-1, 1] if name == "madelon" else [1, -1])
    if not (directory / "paper_row_order.txt").exists():
        missing("SWEEPLESS_REQUIRE_DATA", f"there is no paper_row_order.txt for {name}")
    paper = load(name, data_dir=data_dir)
    order = np.loadtxt(directory / "paper_row_order.txt", dtype=int)
    assert np.array_equal(paper.X, dataset.X[order]) and np.array_equal(paper.y, dataset.y[order])
    assert np.all(np.diff(paper.codes) >= 0)  # class 0 first, then class 1


@pytest.mark.paper
def test_real_dorothea(data_dir):
    real("dorothea", data_dir)
    dataset = load("dorothea", data_dir=data_dir)
    assert sparse.issparse(dataset.X) and dataset.X.dtype == np.int8
    assert dataset.X.shape == (800, 100_000) and dataset.X.nnz == 727760
    assert dataset.class_sizes.tolist() == [722, 78]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A madelon of four samples in a directory of its own."""
    monkeypatch.setitem(NAMED, "madelon", replace(NAMED["madelon"], shape=(4, 2)))
    monkeypatch.delenv("SWEEPLESS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    directory = tmp_path / "sets" / "madelon"
    directory.mkdir(parents=True)
    (directory / "madelon_train.data").write_text("1 2 \n3 4 \n5 6 \n7 8 \n")
    (directory / "madelon_train.labels").write_text("1\n-1\n1\n-1\n")
    return directory


def test_places(toy, tmp_path, monkeypatch):
    assert find_data_dir("madelon", toy.parent) == toy
    assert find_data_dir("madelon", toy) == toy
    with pytest.raises(DataError, match=r"madelon_train.data and madelon_train.labels") as caught:
        find_data_dir("madelon")
    for way in ("`data_dir`", "SWEEPLESS_DATA", str(tmp_path / "cache" / "sweepless")):
        assert way in str(caught.value)
    monkeypatch.setenv("SWEEPLESS_DATA", str(toy.parent))
    assert find_data_dir("madelon") == toy
    with pytest.raises(DataError, match="got no such files in"):  # what was asked for is not overruled
        find_data_dir("madelon", tmp_path / "elsewhere")
    monkeypatch.delenv("SWEEPLESS_DATA")
    (tmp_path / "cache").mkdir()
    toy.parent.rename(tmp_path / "cache" / "sweepless")
    assert find_data_dir("madelon") == tmp_path / "cache" / "sweepless" / "madelon"


def test_row_orders(toy):
    assert load_named("madelon", data_dir=toy).y.tolist() == [1, -1, 1, -1]
    with pytest.raises(DataError, match=r"paper_row_order.txt must be an existing file"):
        load_named("madelon", data_dir=toy, row_order="paper")
    (toy / "paper_row_order.txt").write_text("1\n3\n0\n2\n")
    for row_order in ("auto", "paper"):
        dataset = load_named("madelon", data_dir=toy, row_order=row_order)
        assert dataset.X.tolist() == [[3, 4], [7, 8], [1, 2], [5, 6]]
        assert dataset.codes.tolist() == [0, 0, 1, 1]
    assert load_named("madelon", data_dir=toy, row_order="file").X[0, 0] == 1


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("madelon_train.data", "1 2\n3 4\n", r"must be a table of shape \(4, 2\), got \(2, 2\)"),
        ("madelon_train.data", "1 2\n3\n", "madelon_train.data, line 2: a row must hold 2 numbers, got 1"),
        (
            "madelon_train.data",
            "1 2\n3 x\n",
            "madelon_train.data, line 2, number 2: a value must be a finite number, got 'x'",
        ),
        ("madelon_train.data", "", "must hold data, got an empty file"),
        ("madelon_train.labels", "1\n-1\n", "must hold 4 labels, got"),
        ("madelon_train.labels", "1\n-1\n1\n0\n", "must hold the labels -1 and 1, got"),
        ("madelon_train.labels", "1\n1\n1\n1\n", "must hold the labels -1 and 1, got"),
        ("paper_row_order.txt", "0\n1\n2\n", "must hold each of 0..3 once, got 3"),
        ("paper_row_order.txt", "0\n1\n2\n2\n", "must hold each of 0..3 once, got 4"),
        ("paper_row_order.txt", "0\n1\n2\n4\n", "must hold each of 0..3 once, got 4"),
    ],
)
def test_wrong_files(toy, file, content, message):
    (toy / file).write_text(content)
    with pytest.raises(DataError, match=message):
        load_named("madelon", data_dir=toy)


def test_sparse_set_in_another_shape(toy):
    buffer = io.BytesIO()
    sparse.save_npz(buffer, sparse.csr_matrix(np.eye(3, dtype=np.int8)))
    (toy / "dorothea_train_X.npz").write_bytes(buffer.getvalue())
    np.save(toy / "dorothea_train_y.npy", np.array([-1, 1, 1]))
    with pytest.raises(DataError, match=r"must be a table of shape \(800, 100000\), got \(3, 3\)"):
        load_named("dorothea", data_dir=toy)


def test_bad_arguments(toy):
    with pytest.raises(InputError, match="`name` must be one of madelon, gisette, dorothea, reuters, got 'iris'"):
        find_data_dir("iris")
    with pytest.raises(InputError, match="`row_order` must be one of auto, paper, file, got 'random'"):
        load_named("madelon", data_dir=toy, row_order="random")


def ends(code):
    """Run a program of its own, in which nothing was imported yet, and return the last line it prints."""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()[-1]


def test_names_are_known_once_the_package_is_imported(toy):
    load_it = f"""if True:
        from sweepless.data import load
        try:
            print(load("madelon", data_dir={str(toy)!r}).name)
        except Exception as error:
            print(error)
    """
    unknown = "`source` must be the path of a file, or one of make_madelon"
    assert ends(load_it) == f"{unknown} (`import sweepless.paper` adds the paper's data sets), got 'madelon'."
    # Its shape is that of the real one, not the toy's: the loader was found, and looked.
    assert "must be a table of shape (2000, 500), got (4, 2)" in ends("import sweepless.paper\n" + load_it)


def test_importing_the_package_is_light():
    heavy = "{'sklearn', 'numba', 'joblib', 'matplotlib'} & {name.split('.')[0] for name in sys.modules}"
    assert ends(f"import sys, sweepless.paper; print({heavy} or 'light')") == "light"


def test_options_of_named_sets(toy, write):
    assert load("madelon", data_dir=toy, row_order="file").n_samples == 4
    with pytest.raises(InputError, match="`label` must be left out for madelon, whose options are data_dir, row_order"):
        load("madelon", data_dir=toy, label="class")
    with pytest.raises(InputError, match="`row_order` must be left out for"):
        load(write("r.csv", "x,y\n1,a\n2,b\n"), row_order="paper")
