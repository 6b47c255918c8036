"""Honest scores: data that the search never sees."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import KNN, AuditWarning, FunctionCriterion, RankingSelector, SequentialSelector

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :12]
RNG = np.random.default_rng(0)
NOISE, COIN = RNG.normal(size=(120, 60)), RNG.integers(0, 2, 120)
KNN1 = KNeighborsClassifier(1, algorithm="brute")


def test_what_the_audit_says():
    splitter = ShuffleSplit(1, test_size=0.3, random_state=1)
    train, test = map(np.sort, next(splitter.split(X)))
    selector = SequentialSelector(KNN1, method="SFS", cv=3, audit=splitter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        selector.fit(X, Y)
    plain = SequentialSelector(KNN1, method="SFS", cv=3).fit(X[train], Y[train])
    assert selector.get_support().tolist() == plain.get_support().tolist()  # the search saw the training part only
    audited = selector.audit_results_
    for row, size in enumerate(audited["n_features"]):
        features = selector.subsets_[size].features
        fitted = clone(KNN1).fit(X[train][:, features], Y[train])
        share = accuracy_score(Y[test], fitted.predict(X[test][:, features]))
        assert audited["audited"][row] == pytest.approx(share)
        assert audited["standard_error"][row] == pytest.approx(np.sqrt(share * (1 - share) / (len(test) - 1)))
        assert audited["gap"][row] == pytest.approx(selector.subsets_[size].value - share)
    np.testing.assert_array_equal(selector.cv_results_["audit_score"], audited["audited"])
    np.testing.assert_array_equal(selector.cv_results_["audit_score_error"], audited["standard_error"])


def test_held_back_samples_are_never_seen():
    seen = set()

    class Recording(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            if np.ndim(X) == 2 and X.shape[1] == 1:  # the search, and the audit of the first size
                seen.update(X[:, 0].tolist())
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    numbered = np.column_stack([np.arange(40.0)] * 3)
    selector = SequentialSelector(Recording(), method="SFS", audit=0.25, random_state=0, cv=2)
    selector.fit(numbered, np.arange(40) % 2)
    assert len(seen) == 30


def test_the_audit_stratifies_classes_and_keeps_groups_apart():
    y = np.r_[np.zeros(20, int), np.ones(20, int)]
    parts = []

    class Watching(FunctionCriterion):
        def validate(self, train, test, members):
            parts.append((train, test))
            return 0.5

    data = np.random.default_rng(0).normal(size=(40, 3))
    criterion = Watching(lambda members: 0.5)
    SequentialSelector(criterion, method="SFS", audit=0.25, random_state=0).fit(data, y)
    train, test = parts[0]
    assert np.bincount(test.y).tolist() == [5, 5] and train.n_samples == 30

    groups = np.arange(len(Y)) % 7
    selector = SequentialSelector(GaussianNB(), method="SFS", cv=GroupKFold(3), audit=0.3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        selector.fit(np.column_stack([X, groups]), Y, groups=groups)
    searched = selector._table._foldwise.data.X[:, -1]
    assert len(np.unique(searched)) == 4  # three of seven groups are held back, whole
    assert len(searched) == np.isin(groups, searched).sum()


def test_noise_is_found_out():
    selector = SequentialSelector(KNN1, method="SFFS", audit=0.3, random_state=0, max_features=10)
    with pytest.warns(AuditWarning, match="lower by more than two standard errors") as caught:
        selector.fit(NOISE, COIN)
    assert caught[0].filename == __file__
    row = selector.audit_results_["n_features"].tolist().index(selector.n_features_)
    assert selector.audit_results_["gap"][row] > 0.15


def test_an_honest_gap_is_not_warned_about():
    shown = X[:, [7]]
    with warnings.catch_warnings():
        warnings.simplefilter("error", AuditWarning)
        SequentialSelector(GaussianNB(), audit=0.5, random_state=0).fit(np.hstack([shown, shown + 1]), Y)


def test_the_size_of_the_best_audited_value():
    selector = SequentialSelector(KNN1, method="SFS", n_features_to_select="audit", audit=0.4, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        selector.fit(NOISE, COIN)
    audited = selector.audit_results_
    assert selector.n_features_ == audited["n_features"][np.argmax(audited["audited"])]
    assert selector.n_features_ != audited["n_features"][np.argmax(audited["optimised"])]


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_the_jackknife_of_any_score(scoring):
    selector = SequentialSelector(GaussianNB(), method="SFS", n_features_to_select=2, scoring=scoring, audit=KFold(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        errors = selector.fit(X, Y).audit_results_["standard_error"]
    assert (errors > 0).all() and (errors < 0.3).all()


def test_the_jackknife_of_a_mean_is_its_standard_error():
    """Of accuracy the formula is known: ten blocks must come near it, on average over sizes."""
    options = {"method": "SFS", "audit": ShuffleSplit(1, test_size=0.6, random_state=0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        by_formula = SequentialSelector(KNN1, **options).fit(X, Y).audit_results_
        by_blocks = SequentialSelector(KNN1, scoring=_accuracy, **options).fit(X, Y).audit_results_
    np.testing.assert_array_equal(by_formula["audited"], by_blocks["audited"])
    ratio = np.mean(by_blocks["standard_error"]) / np.mean(by_formula["standard_error"])
    assert 0.7 < ratio < 1.4


def _accuracy(estimator, X, y):
    return accuracy_score(y, estimator.predict(X))


def test_regression_pipelines_and_rankings_are_audited_too():
    target = X[:, 0] + RNG.normal(size=len(X))
    pipeline = make_pipeline(StandardScaler(), Ridge())
    selector = RankingSelector(pipeline, audit=0.25, n_features_to_select="audit", random_state=0).fit(X, target)
    row = selector.audit_results_["n_features"].tolist().index(selector.n_features_)
    assert selector.audit_results_["audited"][row] > 0.8


def test_criteria_audit_themselves():
    selector = SequentialSelector(KNN(), method="SFS", n_features_to_select=3, audit=0.25, random_state=0).fit(X, Y)
    assert selector.audit_results_["audited"].max() > 0.8
    with pytest.raises(ValueError, match="no holdout validation"):
        SequentialSelector(FunctionCriterion(len), audit=0.25).fit(X, Y)


def test_an_old_audit_does_not_stay():
    selector = SequentialSelector(KNN(), method="SFS", n_features_to_select=1, audit=0.25).fit(X, Y)
    assert selector.set_params(audit=None).fit(X, Y).audit_results_ is None
    assert "audit_score" not in selector.cv_results_


@pytest.mark.parametrize("audit", [0.0, 1.0, 2, "some", True])
def test_what_is_no_audit(audit):
    with pytest.raises(ValueError, match=r"^`audit` must be a fraction between 0 and 1, a splitter or None, got"):
        SequentialSelector(KNN1, audit=audit).fit(X, Y)
