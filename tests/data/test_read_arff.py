"""ARFF, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sweepless.data import read_arff
from sweepless.data.numbers import parse_float32
from sweepless.errors import DataError, InputError

CLASSES = ["zebra", "it's", "a, b"]
QUOTED = ["zebra", r"'it\'s'", '"a, b"']
HEAD = "@relation r\n@attribute x real\n@attribute class {a,b}\n@data\n"


def header(n_features, column):
    lines = [f"@ATTRIBUTE f{k} {('numeric', 'REAL', 'Integer')[k % 3]}" for k in range(n_features)]
    lines.insert(column, "@Attribute 'Class' {" + " , ".join(QUOTED) + "} % the class")
    return "\n".join(["% a comment", "@RELATION 'some thing'", "", *lines, "@DATA", ""])


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", ["d.arff", "d.arff.gz"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_round_trip(write, table_strategy, name, is_sparse, data):
    X, codes = data.draw(table_strategy(st.sampled_from([0.0, 0.0, 1.5, -3.0, 0.1])))
    column = data.draw(st.integers(0, X.shape[1]))
    rows = []
    for values, code in zip(X.tolist(), codes):
        words = [repr(value) for value in values]
        words.insert(column, QUOTED[code])
        if is_sparse:
            kept = [(k, word) for k, word in enumerate(words) if word not in ("0.0", QUOTED[0])]
            rows.append("{" + ", ".join(f"{k} {word}" for k, word in data.draw(st.permutations(kept))) + "}")
        else:
            rows.append(", ".join(words))
    dataset = read_arff(write(name, header(X.shape[1], column) + "\n% between\n".join(rows)))
    order = np.argsort(codes, kind="stable")
    read = dataset.X.toarray() if is_sparse else dataset.X
    assert sparse.issparse(dataset.X) == is_sparse and read.dtype == np.float64
    np.testing.assert_array_equal(read, X[order].astype(np.float32).astype(np.float64))
    assert dataset.codes.tolist() == codes[order].tolist()
    assert dataset.classes.tolist() == CLASSES
    assert dataset.feature_names == tuple(f"f{k}" for k in range(X.shape[1]))


def test_the_last_class_wins_and_label_names_another(write):
    path = write("c.arff", "@attribute class {a,b}\n@attribute x real\n@attribute CLASS {c,d}\n@data\na,1,d\nb,2,c\n")
    dataset = read_arff(path)
    assert dataset.y.tolist() == ["c", "d"] and dataset.X.tolist() == [[2], [1]]
    assert dataset.feature_names == ("x",)
    path = write("k.arff", "@attribute class real\n@attribute kind{a,b}\n@data\n1,b\n2,a\n")
    dataset = read_arff(path, label="kind")
    assert dataset.y.tolist() == ["a", "b"] and dataset.feature_names == ("class",)
    with pytest.raises(DataError, match="must have a nominal attribute named 'class', got none"):
        read_arff(path)
    with pytest.raises(InputError, match="`label` must be the name of an attribute for ARFF, got 1"):
        read_arff(path, label=1)


def test_the_last_class_wins_in_sparse_rows(write):
    head = "@attribute class {a,b}\n@attribute x real\n@attribute class {c,d}\n@data\n"
    dataset = read_arff(write("cs.arff", head + "{0 b, 2 d, 1 5}\n{}\n"))
    assert dataset.y.tolist() == ["c", "d"] and dataset.X.toarray().tolist() == [[0], [5]]


def test_values_are_rounded_to_32_bits_once():
    words = [
        "0.1",
        "1.000000059604644775390625",  # the middle of two: to even
        "1.0000000596046447753906250001",  # just above the middle, which 64 bits cannot tell
        "1.0000000596046447753906249999",
        "-1.0000000596046447753906250001",
        "1.000000178813934326171874999",  # just below the middle above an odd one
        "1e-50",
    ]
    up = 1 + 2.0**-23
    expected = [float(np.float32(0.1)), 1.0, up, 1.0, -up, up, 0.0]
    assert parse_float32(words, str).tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "1,c\n", "line 5: the class must be one of a, b, got 'c'"),
        (HEAD + "1,a\n\n1,2,a\n", "line 7: a row must hold 2 values, got 3"),
        (HEAD + "1\n", "line 5: a row must hold 2 values, got 1"),
        (HEAD + "1,'a',\n", "line 5: a row must hold 2 values, got 3"),
        (HEAD + "?,a\n", "line 5, column 1: a value must be a finite number, got '\\?'"),
        (HEAD + "inf,a\n", "line 5, column 1: a value must be a finite number, got 'inf'"),
        (HEAD + "1e39,a\n", "line 5, column 1: a value must fit a 32-bit float, got '1e39'"),
        (HEAD + "{2 1}\n", "line 5: an index must be from 0 to 1, got 2"),
        (HEAD + "{-1 1}\n", "line 5: an entry must be an index and a value, got '-1 1'"),
        (HEAD + "{0 1, 0 2}\n", "line 5: indices must be distinct, got 0 twice"),
        (HEAD + "{0 x}\n", "line 5, index 0: a value must be a finite number, got 'x'"),
        (HEAD + "{0}\n", "line 5: an entry must be an index and a value, got '0'"),
        (HEAD + "{0 1,}\n", "line 5: an entry must be an index and a value, got ''"),
        (HEAD + "{1 c}\n", "line 5: the class must be one of a, b, got 'c'"),
        (HEAD + "{0 1}\n{0 2, 1", "line 6: a row must be {index value, …} as the first, got '{0 2, 1'"),
        (HEAD + "{0 1}\n1,a\n", "line 6: a row must be {index value, …} as the first"),
        (HEAD + "1,a\n{0 1}\n", "line 6: a row must be dense"),
        (HEAD, "at least one row after @data"),
        (HEAD.replace("@data\n", ""), "must have a @data section, got a file that ends before it"),
        (HEAD.replace("real", "string"), "line 2: the type of 'x' must be numeric, real, integer or a list"),
        (HEAD.replace(" real", ""), "line 2: the type of 'x' must be .* got none"),
        (HEAD.replace("x real", ""), "line 2: @attribute must have a name and a type"),
        (HEAD.replace("real", "{u,v}"), "line 2: every attribute but the class must be numeric, got .* 'x'"),
        (HEAD.replace("{a,b}", "{a,a}"), "line 3: the values of 'class' must be distinct names"),
        (HEAD.replace("{a,b}", "{}"), "line 3: the values of 'class' must be distinct names"),
        (HEAD.replace("class {a,b}", "klass {a,b}"), "must have a nominal attribute named 'class', got none"),
        (HEAD.replace("@relation r", "@attribute x real"), "line 2: attribute names must be distinct"),
        (HEAD.replace("@attribute x real\n", ""), "at least one numeric attribute"),
        ("what is this\n", "line 1: a header must be @relation, @attribute, @data, got 'what is this'"),
    ],
)  # fmt: skip
def test_bad_files_say_where(write, text, message):
    with pytest.raises(DataError, match=message):
        read_arff(write("bad.arff", text))


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet="@{}',\"% \n01ab?-", max_size=40))
def test_noise_is_an_error_or_harmless(write, text):
    try:
        read_arff(write("noise.arff", HEAD + text))
    except DataError as error:
        assert "\n" not in str(error)
