"""CSV and TSV."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless.data import read_delimited
from sweepless.errors import DataError, InputError


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "semi.csv", "t.csv.gz"])
@pytest.mark.parametrize("header", [False, True])
def test_round_trip(write, table_strategy, name, header, data):
    X, codes = data.draw(table_strategy())
    labels = np.array(["plain", "with, comma", 'with "quotes"; and\ttab'])[codes]
    column = data.draw(st.integers(0, X.shape[1]))
    rows = [[*map(repr, row.tolist()[:column]), label, *map(repr, row.tolist()[column:])]
            for row, label in zip(X, labels)]  # fmt: skip
    names = [f"feature {k}" for k in range(X.shape[1])]
    if header:
        rows.insert(0, [*names[:column], "what", *names[column:]])
    buffer = io.StringIO()
    delimiter = "\t" if ".tsv" in name else ";" if "semi" in name else ","
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    dataset = read_delimited(write(name, buffer.getvalue()), label="what" if header else column)
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.y.tolist() == labels.tolist()
    assert dataset.feature_names == (tuple(names) if header else None)


@pytest.mark.parametrize(
    ("text", "labels", "names"),
    [
        ("1,2,a\n3,4,b\n", ["a", "b"], None),  # the last column
        ("x,Class,z\n1,7,3\n3,8,4\n", [7, 8], ("x", "z")),  # a usual name, in any case
        ("Y,x\n1.0,5\n2.0,6\n", [1, 2], ("x",)),  # whole reals are integers
        ("x;y\n1;0.5\n2;1.5\n", [0.5, 1.5], ("x",)),  # a real target
        ("\ufeffx\ty\n\n1\t2\n\n", [2], ("x",)),  # byte order mark, blank lines
        ("0,1,class\n5,6,a\n7,8,b\n", ["a", "b"], ("0", "1")),  # numbers as column names
        ("5,6,y\n7,8,n\n9,9,y\n", ["y", "n", "y"], None),  # y as a label
        ("1, 2, 99999999999999999999\r\n3, 4, 5\r\n", ["99999999999999999999", "5"], None),
        ("1,2\r3,4\r", [2, 4], None),  # old line ends
    ],
)
def test_header_and_label_column_are_recognised(write, text, labels, names):
    dataset = read_delimited(write("h.csv", text))
    assert dataset.y.tolist() == labels
    assert dataset.feature_names == names
    assert dataset.n_samples == len(labels)


def test_explicit_delimiter_and_negative_label(write):
    dataset = read_delimited(write("d.txt", "1|a|2\n3|b|4\n"), label=-2, delimiter="|")
    assert dataset.X.tolist() == [[1, 2], [3, 4]]
    assert dataset.y.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,y\n1,2,3\n1,2\n", "line 3: a row must hold 3 fields, got 2"),
        ("a,b,y\n1,2,3\n\n1,2,3,4\n", "line 4: a row must hold 3 fields, got 4"),
        ("a,b,y\n1,oops,3\n", "line 2, column 2: a value must be a finite number, got 'oops'"),
        ("a,y,b\n1,2,oops\n", "line 2, column 3: .* got 'oops'"),
        ("a,b,y\n1,,3\n", "line 2, column 2: .* got an empty cell"),
        ("1,,3\n", "line 1, column 2: .* got an empty cell"),
        ("1,?,3\n", "line 1, column 2: .* got '\\?'"),
        ("a,b,y\n1,1_000,3\n", "line 2, column 2: .* got '1_000'"),
        ("a,b,y\n1,nan,3\n", "line 2, column 2: .* got 'nan'"),
        ("a,b,y\n1,-inf,3\n", "line 2, column 2: .* got '-inf'"),
        ("a,b,y\n1,1e999,3\n", "line 2, column 2: .* got '1e999'"),
        ("a,b,y\n1,2,\n", "line 2, column 3: a label must not be empty"),
        ("a,b,y\n1,2,5\n1,2,nan\n", "line 3, column 3: .* got 'nan'"),
        ("a,a,y\n1,2,3\n", "line 1, column 2: column names must be distinct, got 'a' twice"),
        ("a,y,y\n1,2,3\n", "line 1, column 3: column names must be distinct, got 'y' twice"),
        (",a,y\n1,2,3\n", "line 1, column 1: column names must be distinct, got an empty name"),
        ("a,b,y\n", "at least one row after its header"),
        ("1\n2\n", "line 1: a row must hold a label and at least one value, got 1"),
        ('""\n', "a row must hold a label and at least one value, got 0"),
        ('1,"2\n', "line 1: a row must be well-formed"),
    ],
)
def test_bad_tables_say_where(write, text, message):
    with pytest.raises(DataError, match=message):
        read_delimited(write("bad.csv", text))


def test_bad_arguments(write):
    path = write("arg.csv", "a,b,y\n1,2,3\n")
    with pytest.raises(DataError, match="must have the label column 'z', got columns 'a', 'b', 'y'"):
        read_delimited(path, label="z")
    for label in (3, -4):
        with pytest.raises(InputError, match=f"`label` must be a column index from -3 to 2, got {label}"):
            read_delimited(path, label=label)
    with pytest.raises(InputError, match="`delimiter` must be one character"):
        read_delimited(path, delimiter=",,")
