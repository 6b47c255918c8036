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
        ("1 1:1\n\n1 1:a\n", r"bad.svm, line 3, entry 1: a value must be a finite number, got 'a'"),
        ("1 2:1 1:1\n", "bad.svm, line 1: indices must ascend, got '1 2:1 1:1'"),
        ("1 2:1 2:1\n", "line 1: indices must ascend"),
        ("1 -3:1\n", "line 1: a line must be `label index:value …`, got '1 -3:1'"),
        ("0 1:1\ncat 1:1\n", "line 2, label: a value must be a finite number, got 'cat'"),
        ("1,2 1:1\n", "line 1, label: a value must be a finite number, got '1,2'"),
        ("1 1\n", "line 1: a line must be `label index:value …`"),
        ("1 1:2:3\n", "line 1: a line must be `label index:value …`"),
        ("1 99999999999999999999999:1\n", "line 1: a line must be `label index:value …`"),
        ("1 1:nan\n", "line 1, entry 1: a value must be a finite number, got 'nan'"),
        ("nan 1:1\n", "line 1, label: a value must be a finite number, got 'nan'"),
        ("1 2000000000:1\n", "must have at most 16777216 features with its 1 entries, got 2000000000"),
        ("1\n2\n", "must hold at least one sample with an entry, got 2 samples without"),
        ("# nothing\n", "at least one sample with an entry, got 0"),
    ],
)
def test_bad_files(write, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read_svmlight(write("bad.svm", text))
    assert "\n" not in str(caught.value)


def test_queries_comments_and_counting_from_zero(write):
    dataset = read_svmlight(write("q.svm", "# by hand\n1 qid:3 0:1 2:5 # first\n\n-1.5 qid:4 1:2\n"))
    np.testing.assert_array_equal(dataset.X.toarray(), [[1, 0, 5], [0, 2, 0]])
    assert dataset.y.tolist() == [1, -1.5]


def test_scikit_learn_reads_the_same(write):
    from sklearn.datasets import load_svmlight_file

    path = write("same.svm", "+1 1:0.5 7:-1e-3\n-1 2:1E2\n3\n")
    ours, (X, y) = read_svmlight(path), load_svmlight_file(str(path))
    np.testing.assert_array_equal(ours.X.toarray(), X.toarray())
    np.testing.assert_array_equal(ours.y, y)
