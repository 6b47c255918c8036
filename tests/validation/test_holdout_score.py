"""The classifiers that validate, each beside scikit-learn's of the same definition."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sweepless import Dataset, RandomSplits, holdout_score
from sweepless.criteria.registry import CLASSIFIERS
from sweepless.engine.generator import make_rng
from sweepless.errors import InputError

PEERS = {
    "knn": KNeighborsClassifier(1),
    "svm": SVC(),
    "multinomial-nb": MultinomialNB(),
    "gaussian-nb": GaussianNB(),
    "ridge": RidgeClassifier(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "forest": RandomForestClassifier(random_state=0),
}


def parts() -> tuple[Dataset, Dataset]:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 40)
    X = rng.poisson(2.0 + np.outer(y, np.linspace(0, 2, 9))) + rng.random((120, 9)) * 1e-3
    return next(RandomSplits().split(Dataset(X, y), make_rng("portable", 1))).apply(Dataset(X, y))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_classifier_equals_its_peer(classifier: str) -> None:
    train, test = parts()
    features = np.array([1, 4, 8])
    peer = PEERS[classifier].fit(train.X[:, features], train.y)
    expected = peer.score(test.X[:, features], test.y)
    assert 0.4 < expected < 1.0, "the data must tell classifiers apart"
    assert holdout_score(classifier, train, test, features) == pytest.approx(expected, abs=1e-12)


def test_an_unknown_classifier_is_refused() -> None:
    train, test = parts()
    with pytest.raises(InputError, match=r"`classifier` must be one of knn, svm, .*got 'tree'"):
        holdout_score("tree", train, test, np.array([0]))


def test_regressors_validate_numbers_by_r2():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    data = Dataset(X, X[:, 0] + 0.1 * rng.normal(size=60))
    train, test = next(RandomSplits().split(data, make_rng("portable", 1))).apply(data)
    features = np.array([0, 1])
    parts = train.X[:, features], train.y, test.X[:, features], test.y
    peers = {"ridge": Ridge(), "knn-regression": KNeighborsRegressor(), "forest": RandomForestRegressor(random_state=0)}
    for name, peer in peers.items():
        expected = peer.fit(*parts[:2]).score(*parts[2:])
        assert holdout_score(name, train, test, features) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(InputError, match="`regressor` must be one of ridge, knn-regression, forest, got 'svm'"):
        holdout_score("svm", train, test, features)
