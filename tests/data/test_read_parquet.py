"""Parquet as pandas and others write it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from sweepless import load
from sweepless.errors import DataError, InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def write(tmp_path):
    def writer(columns, name="table.parquet"):
        pq.write_table(pa.table(columns), tmp_path / name)
        return tmp_path / name

    return writer


def test_numbers_labels_and_names(write):
    path = write({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "on": [True, False, True], "class": ["x", "y", "x"]})
    data = load(path)
    assert data.feature_names == ("a", "b", "on")
    assert data.X.tolist() == [[1, 0.5, 1], [2, 1.5, 0], [3, 2.5, 1]]
    assert data.y.tolist() == ["x", "y", "x"]
    assert load(path, label="a", drop=["class"]).y.tolist() == [1, 2, 3]


def test_labels_may_be_categories_and_whole_reals_are_integers(write):
    categories = pa.array(["x", "y", "x"]).dictionary_encode()
    assert load(write({"a": [1, 2, 3], "class": categories})).y.tolist() == ["x", "y", "x"]
    assert load(write({"a": [1, 2, 3], "y": [1.0, 2.0, 1.0]})).y.dtype.kind == "i"
    assert load(write({"a": [1, 2, 3], "y": [1.5, 2.0, 1.0]})).y.tolist() == [1.5, 2.0, 1.0]


def test_an_index_of_pandas_is_left_out(tmp_path, caplog):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}, index=["P1", "P2"])
    frame.to_parquet(tmp_path / "frame.parquet")
    assert load(tmp_path / "frame.parquet").feature_names == ("a",)
    assert "it is left out" in caplog.text


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["P1", "P2"], "a": [1, 2], "y": [0, 1]}, r"got others in 'id' \(all different.*--drop id"),
        ({"a": [1, None], "y": [0, 1]}, "row 1 of column 'a': a value must be a finite number, got a missing value"),
        ({"a": [1.0, np.inf], "y": [0, 1]}, "row 1 of column 'a': a value must be a finite number, got inf"),
        ({"a": [1, 2], "y": ["x", None]}, "row 1 of column 'y': a label must not be missing"),
        ({"y": [1, 2]}, "rows of a label and at least one value, got 1 column"),
        ({"a": pa.array([], "int8"), "y": pa.array([], "int8")}, r"2 column\(s\) and 0 row\(s\)"),
    ],
)
def test_bad_tables_say_where(write, columns, message):
    with pytest.raises(DataError, match=message):
        load(write(columns))


def test_no_parquet_and_half_of_one_are_refused(write, tmp_path):
    path = write({"a": list(range(100)), "y": [0, 1] * 50})
    for content in (b"PAR1 is how it begins", path.read_bytes()[:-20], path.read_bytes()[20:]):
        (tmp_path / "bad.parquet").write_bytes(content)
        with pytest.raises(DataError, match="must be a complete Parquet file, got: "):
            load(tmp_path / "bad.parquet")


def test_without_pyarrow_one_sentence_says_what_to_install(write, monkeypatch):
    path = write({"a": [1, 2], "y": [0, 1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"must be read with pyarrow, got none: pip install sweepless\[parquet\]\."):
        load(path)


def test_drop_is_for_tables_only():
    with pytest.raises(InputError, match="`drop` must be left out for make_madelon"):
        load("make_madelon", drop=["a"])
