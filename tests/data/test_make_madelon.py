"""Synthetic madelon."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless.data import make_madelon
from sweepless.errors import InputError


def kinds(dataset):
    return np.array([name.split("_")[0] for name in dataset.feature_names])


def agreement(X, y):
    """How often the nearest other sample has the same label."""
    squares = (X**2).sum(axis=1)
    distance = squares[:, None] + squares - 2 * X @ X.T
    np.fill_diagonal(distance, np.inf)
    return np.mean(y[distance.argmin(axis=1)] == y)


@pytest.fixture(scope="module")
def default():
    return make_madelon()


def test_default_looks_like_the_original(default):
    assert default.X.shape == (2000, 500) and default.X.dtype == np.float64
    assert default.classes.tolist() == [-1, 1] and abs(default.class_sizes[0] - 1000) <= 20
    assert np.array_equal(default.X, np.rint(default.X))
    assert default.X.min() >= 0 and default.X.max() <= 999
    assert 480 < default.X.mean() < 495
    assert dict(zip(*np.unique(kinds(default), return_counts=True))) == {
        "informative": 5,
        "probe": 480,
        "redundant": 15,
    }


def test_rows_and_columns_are_shuffled(default):
    assert 800 < np.count_nonzero(np.diff(default.codes)) < 1200
    assert np.count_nonzero(np.diff(kinds(default) == "probe")) > 10


def test_names_tell_the_truth(default):
    kind = kinds(default)
    scaled = (default.X - default.X.mean(axis=0)) / default.X.std(axis=0)
    informative, probes = scaled[:, kind == "informative"], scaled[:, kind == "probe"]
    # Redundant features are combinations of the informative ones, up to quantisation.
    for column in scaled[:, kind == "redundant"].T:
        fitted = informative @ np.linalg.lstsq(informative, column, rcond=None)[0]
        assert np.var(column - fitted) < 0.02
    assert np.abs(np.corrcoef(probes.T) - np.eye(480)).max() < 0.15
    assert agreement(informative, default.y) > 0.8
    assert 0.4 < agreement(probes[:, :5], default.y) < 0.6
    assert 0.4 < agreement(scaled[:, kind == "informative"][:, :1], default.y) < 0.65


def test_flip(default):
    clean = make_madelon(flip=0.0)
    assert np.array_equal(clean.X.sum(), default.X.sum())
    assert clean.class_sizes.tolist() == [1000, 1000]


def test_seeds():
    size = {"n_samples": 40, "n_features": 30}
    assert np.array_equal(make_madelon(**size, seed=3).X, make_madelon(**size, seed=3).X)
    assert not np.array_equal(make_madelon(**size, seed=3).X, make_madelon(**size, seed=4).X)
    assert make_madelon(**size, seed=2**64 - 1).n_samples == 40


def test_the_stream_is_pinned():
    dataset = make_madelon(64, 3, 2, 10, n_clusters_per_class=2, seed=7)
    content = dataset.X.astype("<i4").tobytes() + dataset.y.astype("<i4").tobytes()
    assert hashlib.sha256(content).hexdigest()[:16] == "b16bc158f8e7e130"


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_consistent_size_works(data):
    n_informative, n_redundant = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 4))
    n_features = n_informative + n_redundant + data.draw(st.integers(0, 5))
    dataset = make_madelon(
        data.draw(st.integers(2, 40)),
        n_informative,
        n_redundant,
        n_features,
        n_clusters_per_class=data.draw(st.integers(1, 2 ** (n_informative - 1))),
        flip=0.0,
    )
    assert dataset.n_features == n_features == len(set(dataset.feature_names))
    assert abs(int(np.diff(dataset.class_sizes)[0])) <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 1}, "`n_samples` must be an integer of at least 2, got 1"),
        ({"n_samples": 2.5}, "`n_samples` must be an integer"),
        ({"n_informative": 0}, "`n_informative` must be an integer of at least 1"),
        ({"n_informative": 61}, "`n_informative` must be at most 60"),
        ({"n_redundant": -1}, "`n_redundant` must be an integer of at least 0"),
        ({"n_features": 19}, "`n_features` must be an integer of at least 20, got 19"),
        ({"n_clusters_per_class": 17}, "`n_clusters_per_class` must be at most 16 with 5"),
        ({"n_clusters_per_class": 0}, "`n_clusters_per_class` must be an integer of at least 1"),
        ({"class_sep": -1.0}, "`class_sep` must be a finite number"),
        ({"flip": 1.5}, "`flip` must be from 0 to 1, got 1.5"),
        ({"seed": -1}, "`seed` must be an integer from 0"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        make_madelon(**arguments)
