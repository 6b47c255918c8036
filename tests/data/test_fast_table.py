"""Large tables by polars: the same data sets, and the same sentences, as by the reader that looks at every field."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepless.data import fast_table
from sweepless.data.delimited import read_delimited
from sweepless.errors import DataError

pytest.importorskip("polars")


def outcome(path, **options):
    try:
        data = read_delimited(path, **options)
    except DataError as error:
        return str(error)
    return data.X.tobytes(), data.X.shape, data.y.tolist(), data.feature_names


def both(path, text, **options):
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_table, "_LARGE", 0)
        fast = outcome(path, **options)
        patch.setattr(fast_table, "_polars", lambda: None)
        return fast, outcome(path, **options)


BODY = "1,2.5,a\n-3e-5,4,b\n0.1,6,a\n"


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        "x,y1,class\n" + BODY,
        "\n\nx,é,class\n\n" + BODY + "\n\n",
        BODY.replace(",", ";"),
        BODY.replace("\n", "\r\n"),
        BODY.replace(",", ", "),
        '"x","two\nlines","class"\n' + BODY,
        'x,y1,class\n1,2,"a"\n3,4,"b"\n"5",6,"b"\n',
        'x,y1,class\n1,2,"a ""b"""\n3,4,"b"\n',
        'x,y1,class\n1,2, "a"\n3,4,b\n',
        'x,y1,class\n1,2,"a,b"\n3,4,"c\nd"\n',
        'x,y1,class\n1,2,a"b\n3,4,"c\n',
        "x,y1,class\n1,2,1\n3,4,nan\n",
        "x,y1,class\n1,2,a\n3,4,\n",
        "x,y1,class\n1,2,a\n3,4\n",
        "x,y1,class\n1,2,a\n3,4,b,5\n",
        "x,,class\n" + BODY,
        "x,x,class\n" + BODY,
        "x,y1,class\n",
        "x,y1,class",
        ",x,class\n0,2,a\n1,4,b\n2,6,b\n",
        "x,class,y1\n1,a,2\n3,b,4\n",
        *(
            f"x,y1,class\n1,2,a\n3,{word},b\n"
            for word in ["", "?", "word", "inf", "-Infinity", "NaN", "1_000", "+1", " 1"]
        ),
        *(f"x,y1,class\n1,2,a\n3,{word},b\n" for word in ["1.", ".5", "0x10", "1d3", "1e", "1f", "true", "١", "1e999"]),
        *(f"x,y1,class\n1,2,a\n3,{word},b\n" for word in ["2.2250738585072011e-308", "9007199254740993", "1 ", "--1"]),
    ],
)
def test_data_and_sentences_are_the_same(tmp_path, text):
    fast, slow = both(tmp_path / "table.csv", text)
    assert fast == slow


@pytest.mark.parametrize("delimiter", ["|", " ", "·", "."])
def test_delimiters_of_every_kind(tmp_path, delimiter):
    fast, slow = both(tmp_path / "table.csv", BODY.replace(",", delimiter), delimiter=delimiter)
    assert fast == slow


def test_columns_can_be_left_out(tmp_path):
    fast, slow = both(tmp_path / "table.csv", "id,x,class\nu,2,a\nv,4,b\n", drop=["id"])
    assert fast == slow
    assert fast[1] == (2, 1)


@given(
    st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2), min_size=2, max_size=9)
)
def test_every_number_is_read_to_its_last_bit(tmp_path_factory, rows):
    text = "\n".join(f"{a!r},{b!r},{k}" for k, (a, b) in enumerate(rows))
    fast, slow = both(tmp_path_factory.mktemp("tables") / "table.csv", text + "\n")
    assert fast == slow


def test_large_tables_are_read_by_polars(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 8))
    path = tmp_path / "table.csv"
    path.write_text("\n".join(",".join(map(repr, row)) + ",a" for row in X.tolist()))
    monkeypatch.setattr(fast_table, "_LARGE", 1000)
    monkeypatch.setattr("sweepless.data.delimited._Table.append", None)  # the other reader would fail
    np.testing.assert_array_equal(read_delimited(path).X, X)
