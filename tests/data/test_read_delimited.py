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
        ("a,b,y\n1,oops,3\n1,2,3\n", r"line 2, column 2 \('b'\): a value must be a finite number, got 'oops'"),
        ("a,y,b\n1,2,oops\n1,2,3\n", r"line 2, column 3 \('b'\): .* got 'oops'"),
        ("a,b,y\n1,,3\n", r"line 2, column 2 \('b'\): .* got an empty cell"),
        ("1,,3\n", "line 1, column 2: .* got an empty cell"),
        ("1,?,3\n", "line 1, column 2: .* got '\\?'"),
        ("a,b,y\n1,1_000,3\n1,2,3\n", r"line 2, column 2 \('b'\): .* got '1_000'"),
        ("a,b,y\n1,nan,3\n", r"line 2, column 2 \('b'\): .* got 'nan'"),
        ("a,b,y\n1,-inf,3\n", r"line 2, column 2 \('b'\): .* got '-inf'"),
        ("a,b,y\n1,1e999,3\n", r"line 2, column 2 \('b'\): .* got '1e999'"),
        ("a,b,y\n1,2,\n", r"line 2, column 3 \('y'\): a label must not be empty"),
        ("a,b,y\n1,2,5\n1,2,nan\n", r"line 3, column 3 \('y'\): .* got 'nan'"),
        ("a,a,y\n1,2,3\n", "line 1, column 2: column names must be distinct, got 'a' twice"),
        ("a,y,y\n1,2,3\n", "line 1, column 3: column names must be distinct, got 'y' twice"),
        (",a,y\n7,2,3\n8,2,3\n", "line 1, column 1: a column must have a name, got none; --drop 0 leaves it out"),
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


def test_columns_are_dropped_by_name_and_number(write):
    path = write("d.csv", "id,a,note,b,y\nP1,1,x,2,0\nP2,3,x,4,1\n")
    for drop in (["id", "note"], [0, 2], [-5, "note"]):
        dataset = read_delimited(path, drop=drop)
        assert dataset.feature_names == ("a", "b")
        assert dataset.X.tolist() == [[1, 2], [3, 4]] and dataset.y.tolist() == [0, 1]
    before_label = read_delimited(write("e.csv", "y,id,a\n0,P1,1\n1,P2,2\n"), drop=["id"])
    assert before_label.X.tolist() == [[1], [2]] and before_label.y.tolist() == [0, 1]
    without_header = read_delimited(write("f.csv", "P1,1,0\nP2,2,1\n"), drop=[0])
    assert without_header.X.tolist() == [[1], [2]] and without_header.feature_names is None


@pytest.mark.parametrize(
    ("drop", "message"),
    [
        (["z"], "`drop` must name columns of .*, which are 'a', 'b', 'y', got 'z'"),
        ([3], "`drop` must be a column index from -3 to 2, got 3"),
        (["y"], "`drop` must not name the label column of .*, got 'y'"),
        (["a", "b"], "`drop` must leave a feature of .*, got all of its 2 columns"),
        ("a", "`drop` must be a list of columns, got 'a'"),
    ],
)
def test_what_cannot_be_dropped_is_said(write, drop, message):
    with pytest.raises((DataError, InputError), match=message):
        read_delimited(write("d.csv", "a,b,y\n1,2,3\n"), drop=drop)


def test_columns_of_words_are_named_with_the_way_to_leave_them_out(write):
    path = write("d.csv", "patient id,sex,a,y\nP1,f,1,0\nP2,,2,1\nP3,m,3,1\nP4,m,4,0\n")
    with pytest.raises(DataError) as error:
        read_delimited(path)
    assert str(error.value) == (
        f"{path} must hold numbers in all columns but the label, got others in 'patient id' (all different, like an "
        "identifier), 'sex' (3 different): leave them out (--drop 'patient id' --drop sex; `drop` in Python and in "
        "specs), or write them as numbers."
    )


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
@pytest.mark.parametrize("first", [0, 1])
def test_an_index_that_counts_the_rows_is_left_out(write, caplog, name, first):
    rows = "".join(f"{first + k},{k},{k % 2}\n" for k in range(4))
    dataset = read_delimited(write("d.csv", f"{name},a,y\n{rows}"))
    assert dataset.feature_names == ("a",)
    assert dataset.X.ravel().tolist() == [0, 1, 2, 3]
    assert "is an index of the rows; it is left out." in caplog.text


@pytest.mark.parametrize(("name", "is_guessed"), [("kind", True), ("Class", False)])
def test_a_guessed_label_column_is_logged(write, caplog, name, is_guessed):
    path = write("d.csv", f"a,{name}\n1,x\n2,y\n")
    assert read_delimited(path).y.tolist() == ["x", "y"]
    assert ("the last column is taken for the labels" in caplog.text) == is_guessed
    caplog.clear()
    read_delimited(path, label=name)
    assert not caplog.text


def test_numbers_in_a_first_column_that_count_nothing_are_a_feature(write):
    dataset = read_delimited(write("d.csv", "Unnamed: 0,a,y\n5,1,0\n7,2,1\n"))
    assert dataset.feature_names == ("Unnamed: 0", "a")
    assert read_delimited(write("e.csv", "n,a,y\n0,1,0\n1,2,1\n")).feature_names == ("n", "a")


def test_an_unnamed_column_of_words_is_told_by_its_number(write):
    with pytest.raises(DataError, match=r"got others in column 0 \(all different.*--drop 0;"):
        read_delimited(write("d.csv", ",a,y\ns1,1,0\ns2,2,1\n"))
