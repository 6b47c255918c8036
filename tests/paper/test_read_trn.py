"""TRN."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless.data import load
from sweepless.errors import DataError, InputError
from sweepless.paper import read_trn

HEAD = "#datafile\n#features 2\n#classes 2 1,2\n"


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", ["t.trn", "t.trn.gz"])
@pytest.mark.parametrize("marker", ["", "#data\n"])
def test_round_trip(write, table_strategy, name, marker, data):
    X, _ = data.draw(table_strategy())
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(X) - 1)), max_size=3)) - {len(X)})
    sizes = np.diff([0, *cuts, len(X)]).tolist()
    separator = data.draw(st.sampled_from([" ", ", ", ","]))
    text = (
        "\ufeff; made by a test\n#datafile\n#title some; thing\n"
        f"#features {X.shape[1]} ; columns\n#classes {len(sizes)} {separator.join(map(str, sizes))}\n{marker}"
    )
    blank = data.draw(st.sampled_from([" ", "\n", " ; note\n\t"]))
    text += blank.join(repr(value) for value in X.ravel().tolist())
    dataset = read_trn(write(name, text))
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.class_sizes.tolist() == sizes
    assert dataset.classes.tolist() == list(range(len(sizes)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "1 2 3 4 5\n", r"must hold 6 values \(3 samples of 2 features\), got 5"),
        (HEAD + "1 2 3 4 5 6 7\n", "must hold 6 values .* got 7"),
        (HEAD.replace("2 1,2", "2 1,999999999999") + "1 2\n", "must hold 2000000000000 values .* got 2"),
        (HEAD + "1 2\n3 x\n", "line 5, value 2: a value must be a finite number, got 'x'"),
        (HEAD + "1 2\n3 nan\n", "line 5, value 2: a value must be a finite number, got 'nan'"),
        (HEAD + "1 2\n#title late\n", "line 5: the data must be numbers, got '#title late'"),
        (HEAD + "#data 1 2\n", "line 4: #data must stand alone"),
        (HEAD + "#what\n", "line 4: a keyword must be #title, #features, #classes, #data, got '#what'"),
        (HEAD + "#features 3\n", "line 4: #features must be declared once"),
        ("#features 2\n", "line 1: a TRN file must begin with #datafile, got '#features 2'"),
        ("#datafile\n#features two\n", "line 2: #features must be followed by positive integers"),
        ("#datafile\n#features 0\n", "line 2: #features must be followed by positive integers"),
        ("#datafile\n#features 2 3\n", "line 2: #features must be followed by one number, got 2"),
        ("#datafile\n#classes 3 1,2\n", "line 2: #classes 3 must be followed by 3 class sizes, got 2"),
        ("#datafile\n#classes 1 1\n1 2\n", "must declare #features"),
        ("#datafile\n#features 2\n1 2\n", "must declare #classes"),
    ],
)
def test_bad_files_say_what(write, text, message):
    with pytest.raises(DataError, match=message):
        read_trn(write("bad.trn", text))


@pytest.mark.parametrize("name", ["known.trn", "known.trn.gz", "known.TRN"])
def test_load_knows_the_extension(write, name):
    data = load(write(name, HEAD + "1 2 3 4 5 6\n"))
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]] and data.codes.tolist() == [0, 1, 1]
    assert data.name == "known"
    with pytest.raises(InputError, match="`label` must be left out"):
        load(write(name, HEAD + "1 2 3 4 5 6\n"), label=0)
