"""k-NN after scalers is valued on all splits at once, with the very values of one split after the other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, StratifiedShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sweepless import Dataset, Direction
from sweepless.criteria.composite import Mean, MeanCursor
from sweepless.criteria.neighbors.apart import ApartKNNCursor
from sweepless.selectors import scaled_folds
from sweepless.selectors.native import choose_criterion
from sweepless.selectors.scaled_folds import ScaledFolds

DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(60) % 3)
KINDS = {
    "ordinary": DRAWS.normal(size=(60, 14)) + 0.4 * Y[:, None],
    "words": (DRAWS.random((60, 14)) < 0.15) * DRAWS.integers(1, 3, (60, 14)),
    "constants and copies": np.repeat(DRAWS.integers(0, 3, (20, 14)) * (np.arange(14) % 4 > 0), 3, axis=0),
    "one feature": DRAWS.integers(0, 5, (60, 1)),
}
SPLITTERS = {
    "folds": StratifiedKFold(5),
    "few": KFold(2),
    "overlapping": StratifiedShuffleSplit(3, test_size=15, random_state=0),
}


def criterion_of(X, splits, n_neighbors=1, scalers=None, **options):
    estimator = make_pipeline(*(scalers or [StandardScaler()]), KNeighborsClassifier(n_neighbors))
    data = Dataset(np.asarray(X, dtype=float), Y)
    fallback = choose_criterion(estimator, data, splits=splits, native=True, **options).criterion
    return data, fallback.criterion


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize(("n_neighbors", "scoring"), [(1, None), (3, None), (1, "f1_macro"), (2, "neg_log_loss")])
def test_values_are_those_of_one_split_after_the_other(kind, splitter, n_neighbors, scoring):
    X = KINDS[kind]
    splits = list(SPLITTERS[splitter].split(X, Y))
    data, criterion = criterion_of(X, splits, n_neighbors, scoring=scoring)
    at_once, apart = criterion.bind(data), Mean.bind(criterion, data)
    assert isinstance(at_once, ApartKNNCursor) and isinstance(apart, MeanCursor)
    everything = np.arange(data.n_features)
    for feature in range(min(5, data.n_features)):
        others = everything[~at_once.members]
        assert np.array_equal(at_once.peek(Direction.ADD, others), apart.peek(Direction.ADD, others))
        for each in (at_once, apart):
            each.move(Direction.ADD, feature)
        members = np.flatnonzero(at_once.members)
        assert at_once.evaluate(members) == apart.evaluate(members)
        if feature:
            assert np.array_equal(at_once.peek(Direction.REMOVE, members), apart.peek(Direction.REMOVE, members))
    subsets = [everything[:1], everything[: 1 + len(everything) // 2], everything]
    assert np.array_equal(at_once.evaluate_many(subsets), apart.evaluate_many(subsets))


def test_values_are_those_of_cross_validation():
    splits = list(StratifiedKFold(4).split(KINDS["ordinary"], Y))
    scalers = MinMaxScaler(), StandardScaler()
    data, criterion = criterion_of(KINDS["ordinary"], splits, 3, scalers)
    estimator = make_pipeline(*scalers, KNeighborsClassifier(3))
    theirs = cross_val_score(estimator, data.X[:, [1, 5, 8]], Y, cv=splits).mean()
    assert criterion.bind(data).evaluate([1, 5, 8]) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("limit", ["_MOST_ROWS", "_MOST_SPLITS"])
def test_many_splits_or_samples_are_valued_one_after_the_other(limit, monkeypatch):
    splits = list(LeaveOneOut().split(KINDS["words"]))
    monkeypatch.setattr(scaled_folds, "_MOST_SPLITS", 60)
    data, criterion = criterion_of(KINDS["words"], splits)
    at_once = criterion.bind(data)
    assert isinstance(at_once, ApartKNNCursor)
    monkeypatch.setattr(scaled_folds, limit, 59)
    apart = criterion.bind(data)
    assert isinstance(apart, MeanCursor)
    assert np.array_equal(*(cursor.peek(Direction.ADD, np.arange(14)) for cursor in (at_once, apart)))


@pytest.mark.parametrize("n_kept", [0, 3, 5, 14])
def test_columns_are_lent_as_they_are_whatever_is_kept(n_kept, monkeypatch):
    X, splits = KINDS["ordinary"], list(KFold(3).split(KINDS["ordinary"]))
    monkeypatch.setattr(scaled_folds, "_MOST_KEPT", 8 * 180 * n_kept)
    data, criterion = criterion_of(X, splits)
    view = ScaledFolds(data, (StandardScaler(),), [each.split for each in criterion.criteria])
    expected = np.hstack([StandardScaler().fit(X[train]).transform(X).T for train, _ in splits])
    for some in ([3, 1], [4, 1, 2], [7], [1, 3, 5, 9, 11], [2, 3]):
        columns, places = view.lend(np.array(some))
        assert np.array_equal(columns[places], expected[some])
        assert len(columns) == (n_kept if len(some) <= n_kept else len(some))
    assert np.array_equal(view.columns([5, 2]), expected[[5, 2]])
