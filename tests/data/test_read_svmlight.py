"""svmlight / libsvm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sweepless.data import read_svmlight
from sweepless.errors import DataError


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", ["s.svm", "s.svm.gz"])
def test_round_trip(write, table_strategy, name, data):
    X, codes = data.draw(table_strategy(st.sampled_from([0.0, 0.0, 1.5, -3.0, 0.1])))
    X = np.hstack([X, np.ones((len(X), 1))])  # the format does not tell trailing zero columns
    lines = [
        f"{code} " + " ".join(f"{k}:{value!r}" for k, value in enumerate(row, start=1) if value)
        for row, code in zip(X.tolist(), codes)
    ]
    dataset = read_svmlight(write(name, "\n".join(lines) + "\n"))
    assert sparse.issparse(dataset.X)
    np.testing.assert_array_equal(dataset.X.toarray(), X)
    np.testing.assert_array_equal(dataset.y, codes)
    assert dataset.y.dtype == np.int64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:a\n", "must be lines of `label index:value …`, got: "),
        ("1 2:1 1:1\n", "must be lines of `label index:value …`, got: "),
        ("1 -3:1\n", "must be lines of `label index:value …`, got: "),
        ("cat 1:1\n", "must be lines of `label index:value …`, got: "),
        ("1 1\n", "must be lines of `label index:value …`, got: "),
        ("1 99999999999999999999999:1\n", "must be lines of `label index:value …`, got: "),
        ("1 1:nan\n", "X must be finite"),
        ("nan 1:1\n", "y must hold a label for every sample"),
        ("1 2000000000:1\n", "must have at most 100000000 features, got index 2000000000"),
        ("# nothing\n", "at least one sample"),
    ],
)
def test_bad_files(write, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read_svmlight(write("bad.svm", text))
    assert "\n" not in str(caught.value)
