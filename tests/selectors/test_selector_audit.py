"""Honest scores: data that the search never sees."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import RankingSelector, SequentialSelector
from sweepless.criteria import KNN, FunctionCriterion
from sweepless.errors import AuditWarning

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
    selector = SequentialSelector(KNN1, method="SFFS", audit=0.3, random_state=0, max_size=10)
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
    assert selector.n_features_ != audited["n_features"][np.argmax(audited["optimized"])]


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_the_jackknife_of_any_score(scoring):
    selector = SequentialSelector(GaussianNB(), method="SFS", n_features_to_select=2, scoring=scoring, audit=KFold(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        errors = selector.fit(X, Y).audit_results_["standard_error"]
    assert (errors > 0).all() and (errors < 0.3).all()


def test_the_jackknife_of_a_mean_is_its_standard_error():
    """Of accuracy the formula is known: ten blocks must come near it, on average over sizes."""
    options = {"method": "SFS", "audit": ShuffleSplit(1, test_size=0.6, random_state=0), "racing": None}
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


def rows_of(**options):
    """Return the rows that the search saw, and those that were held back."""
    parts = []

    class Watching(GaussianNB):
        def fit(self, X, y):
            parts.append([X[:, 0].astype(int).tolist()])
            return super().fit(X, y)

        def score(self, X, y):
            parts[-1].append(X[:, 0].astype(int).tolist())
            return 1.0

    numbered = np.column_stack([np.arange(50.0)] * 2)
    groups = options.pop("groups", None)
    selector = SequentialSelector(Watching(), method="SFS", n_features_to_select=1, random_state=0, **options)
    selector.fit(numbered, np.arange(50) % 2, groups=groups)
    audited = next(part for part in parts if len(part) > 2)  # scored on all rows, and without each of ten blocks
    return audited[0], audited[1]


def test_the_audit_follows_time():
    searched, held = rows_of(cv=TimeSeriesSplit(2), audit=0.3)
    assert searched == list(range(35)) and held == list(range(35, 50))
    searched, held = rows_of(cv=TimeSeriesSplit(2, gap=4), audit=0.3)
    assert searched == list(range(31)) and held == list(range(35, 50))
    with pytest.raises(ValueError, match=r"^`audit` must leave rows to search, got 0\.9 of 50 with a gap of 10"):
        rows_of(cv=TimeSeriesSplit(2, gap=10), audit=0.9)


@pytest.mark.parametrize(
    "cv", [None, 3, KFold(2), ShuffleSplit(2, random_state=0), RepeatedKFold(n_repeats=2)], ids=str
)
def test_the_audit_draws_rows_where_folds_do_not_depend_on_their_order(cv):
    searched, held = rows_of(cv=cv, audit=0.3)
    assert len(held) == 15 and len(searched) == 35 and held != list(range(35, 50))


def test_groups_are_held_back_whole_for_every_splitter():
    for cv in (GroupKFold(2), LeaveOneGroupOut()):
        searched, held = rows_of(cv=cv, audit=0.3, groups=np.arange(50) // 10)
        assert not {row // 10 for row in searched} & {row // 10 for row in held}


class Mondays:
    def split(self, X, y=None, groups=None):
        yield np.arange(0, len(X), 2), np.arange(1, len(X), 2)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1


def test_an_unknown_splitter_needs_an_audit_that_says_which_rows():
    with pytest.raises(
        ValueError, match=r"^`audit` must be a splitter, which says what rows to hold back, for cv=.*Mond"
    ):
        rows_of(cv=Mondays(), audit=0.3)
    assert len(rows_of(cv=Mondays(), audit=KFold(5))[1]) == 10


@pytest.mark.parametrize("audit", [0.3, KFold(5)], ids=["share", "splitter"])
@pytest.mark.parametrize("cv", [PredefinedSplit(np.arange(50) % 2), [(np.arange(25), np.arange(25, 50))]], ids=type)
def test_folds_of_all_rows_leave_none_to_hold_back(cv, audit):
    with pytest.raises(ValueError, match=r"^`cv` must split whatever rows `audit` leaves, got folds of all rows"):
        rows_of(cv=cv, audit=audit)
