"""k-NN regression: equal to the definition bit for bit, and to scikit-learn where that has no ties to break."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsRegressor

from sweepless import Dataset
from sweepless.criteria import KNNRegression
from sweepless.criteria.folds import fold_sizes
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.knn import distances
from tests.reference.moves import neighbors, toggle

CASES = knn_cases()
VARIANTS = [
    KNNRegression(n_neighbors=1),
    KNNRegression(n_neighbors=3, score="mse"),
    KNNRegression(n_neighbors=2, folds="loo", metric="manhattan"),
    KNNRegression(n_neighbors=2, folds=10, score="mse", memory_limit=0),
    KNNRegression(n_neighbors=2, folds=2, n_jobs=2),
]
pytestmark = pytest.mark.filterwarnings("ignore:the distances of")


def naive(criterion, X, y, members):
    distance = distances(X, members, criterion.metric)
    n_samples = len(y)
    loo = criterion.folds == "loo"
    folds = list(range(n_samples)) if loo else np.repeat(range(criterion.folds), fold_sizes(n_samples, criterion.folds))
    errors = []
    for i in range(n_samples):
        others = sorted((distance[i][j], j) for j in range(n_samples) if folds[j] != folds[i])
        near = sorted(j for _, j in others[: criterion.n_neighbors])
        errors.append((y[i] - sum(y[j] for j in near) / len(near)) ** 2)
    errors, accounts = np.array(errors), np.zeros(n_samples) if loo else np.array(folds)
    values = []
    for account in range(1 if loo else criterion.folds):
        mine = accounts == account
        if criterion.score == "mse":
            values.append(-errors[mine].sum() / max(mine.sum(), 1))
        else:
            around = ((y[mine] - y[mine].mean()) ** 2).sum() if mine.any() else 0.0
            values.append(1 - errors[mine].sum() / around if around > 0 else float(errors[mine].sum() == 0))
    return np.mean(values)


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_that_of_the_definition(name):
    X, _ = CASES[name]
    y = np.random.default_rng(5).integers(0, 9, size=len(X)) / 4.0
    data = Dataset(X, y)
    draws = np.random.default_rng(6)
    for criterion in VARIANTS:
        if len(X) <= 2 * criterion.n_neighbors:
            continue
        cursor = criterion.bind(data)
        for _ in range(6):
            for direction, pool in neighbors(cursor):
                values = cursor.peek(direction, pool)
                subsets = [np.flatnonzero(direction.applied(cursor.members, feature)) for feature in pool]
                assert values.tolist() == [cursor.evaluate(members) for members in subsets]
                k = int(draws.integers(len(pool)))
                assert values[k] == pytest.approx(
                    naive(criterion, np.asarray(X, float), y, subsets[k].tolist()), abs=1e-9
                )
            toggle(cursor, int(draws.integers(data.n_features)))


def test_scikit_learn_agrees():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(90, 6))
    y = X[:, 0] - 2 * X[:, 3] + rng.normal(size=90)
    blocks = np.array_split(np.arange(90), 3)
    splits = [(np.setdiff1d(np.arange(90), block), block) for block in blocks]
    cursor = KNNRegression(n_neighbors=4).bind(Dataset(X, y))
    for members in ([0], [0, 3], [1, 2, 5]):
        theirs = cross_val_score(KNeighborsRegressor(4), X[:, members], y, cv=splits).mean()
        assert cursor.evaluate(np.array(members)) == pytest.approx(theirs, abs=1e-12)
    train, test = Dataset(X[:60], y[:60]), Dataset(X[60:], y[60:])
    theirs = KNeighborsRegressor(4).fit(X[:60][:, [0, 3]], y[:60]).score(X[60:][:, [0, 3]], y[60:])
    assert KNNRegression(n_neighbors=4).validate(train, test, np.array([0, 3])) == pytest.approx(theirs, abs=1e-12)


def test_the_contract_holds():
    rng = np.random.default_rng(8)
    check_criterion(KNNRegression(n_neighbors=2), Dataset(rng.normal(size=(40, 7)), rng.normal(size=40)))


def test_what_cannot_be_predicted_is_refused():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(DataError, match="one number per sample"):
        KNNRegression().bind(Dataset(X, list("abcabc")))
    with pytest.raises(DataError, match="smallest training part"):
        KNNRegression(n_neighbors=5).bind(Dataset(X, np.arange(6.0)))
    with pytest.raises(InputError, match="`score` must be scikit-learn's name of a score of numbers, got 'mae'"):
        KNNRegression(score="mae")
