"""What is recognized, what is not, and what is said about it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PowerTransformer, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sweepless import Dataset
from sweepless.criteria import EstimatorCriterion
from sweepless.errors import CriterionError, DataError, InputError
from sweepless.selectors.native import choose_criterion
from tests.scikit_learn import VERSION

ELASTIC = {} if VERSION >= (1, 8) else {"penalty": "elasticnet"}  # the ratio says it since 1.8

DRAWS = np.random.default_rng(0)
Y = np.arange(36) % 2
X = np.abs(DRAWS.normal(size=(36, 5)) + 0.5 * Y[:, None])
SPLITS = list(StratifiedKFold(3).split(X, Y))


class OwnNeighbors(KNeighborsClassifier):
    """A subclass may compute anything."""


def chosen_for(estimator, given=X, y=Y, splits=SPLITS, **options):
    return choose_criterion(estimator, Dataset(given, y), splits=splits, **options)


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (DecisionTreeClassifier(), "there is no native criterion for DecisionTreeClassifier"),
        (OwnNeighbors(), "there is no native criterion for OwnNeighbors"),
        (KNeighborsClassifier(weights=np.sqrt), "is not computed natively"),
        (KNeighborsClassifier(p=3), "the metric 'minkowski' (p=3) is neither euclidean nor manhattan"),
        (KNeighborsClassifier(metric="cosine"), "the cosine distance of a subset is no sum over its features"),
        (KNeighborsClassifier(metric=lambda a, b: 0.0), "neither euclidean nor manhattan"),
        (KNeighborsClassifier(metric="minkowski", metric_params={"w": [1] * 5}), "`metric_params={'w'"),
        (GaussianNB(var_smoothing=0.0), "`var_smoothing=0.0` leaves variances of zero"),
        (GaussianNB(priors=[0.2, 0.3]), "the priors are not a positive share for each class"),
        (MultinomialNB(alpha=0.0), "`alpha=0.0` is not computed natively"),
        (MultinomialNB(alpha=[1.0] * 5), "is not computed natively"),
        (RidgeClassifier(class_weight={1: 2.0}), "`class_weight={1: 2.0}` is not a number for each class"),
        (RidgeClassifier(class_weight={0: 0.0, 1: 2.0}), "is not a positive number for each class"),
        (RidgeClassifier(solver="sag"), "`solver='sag'` is not computed natively"),
        (RidgeClassifier(positive=True, solver="lbfgs"), "`solver='lbfgs'` is not computed natively"),
        (SVC(kernel="linear"), "`kernel='linear'` leaves most of the time to the solver"),
        (SVC(kernel="poly"), "`kernel='poly'` leaves most of the time to the solver"),
        (SVC(kernel="sigmoid"), "`kernel='sigmoid'` is not computed natively"),
        (SVR(), "there is no native criterion for SVR, since its digits follow the last bits of its kernel"),
        (SVC(class_weight={0: 2.0, 7: 1.0}), "`class_weight={0: 2.0, 7: 1.0}` is not a number for each class"),
        (SVC(tol=1e-4), "`tol=0.0001` is not computed natively"),
        (SVC(break_ties=True), "`break_ties=True` is not computed natively"),
        (make_pipeline(PowerTransformer(), GaussianNB()), "PowerTransformer(), which is no plain scaler"),
        (make_pipeline(MinMaxScaler(clip=True), GaussianNB()), "which is no plain scaler of single features"),
        (make_pipeline(MaxAbsScaler(), MultinomialNB()), "counts are not scaled natively"),
        (make_pipeline(StandardScaler(), DecisionTreeClassifier()), "no native criterion for DecisionTreeClassifier"),
        (LogisticRegression(C=np.inf), "without a penalty there may be no optimum"),
        (
            LogisticRegression(l1_ratio=0.5, solver="saga", **ELASTIC),
            "a penalty on absolute coefficients is not smooth",
        ),
        (LogisticRegression(max_iter=20), "`max_iter=20` and `tol=0.0001` let it stop far from the optimum"),
        (LogisticRegression(class_weight={0: 1.0}), "`class_weight` is not a positive number for each class"),
        (LinearSVC(loss="hinge"), "`loss='hinge'` with `penalty='l2'` is not smooth"),
        (LinearSVC(intercept_scaling=0.0), "`intercept_scaling=0.0` is not computed natively"),
    ],
    ids=lambda part: re.sub(r" at 0x[0-9a-f]+", "", repr(part)),  # the same name in every process
)
def test_other_estimators_and_parameters_are_cross_validated(estimator, reason):
    chosen = chosen_for(estimator)
    assert not chosen.is_native
    assert isinstance(chosen.criterion, EstimatorCriterion)
    assert reason in chosen.reason
    assert chosen.reason.endswith(".")
    with pytest.raises(InputError, match=r"`native=True` must come with an estimator that sweepless computes itself"):
        chosen_for(estimator, native=True)


def share_of_first(estimator, X, y):
    return np.mean(estimator.predict(X) == 0)


@pytest.mark.parametrize(
    "scoring", [share_of_first, make_scorer(log_loss, response_method="predict_proba", labels=[0, 1])]
)
def test_other_scorings_are_cross_validated(scoring):
    chosen = chosen_for(KNeighborsClassifier(), scoring=scoring)
    assert not chosen.is_native
    theirs = cross_val_score(KNeighborsClassifier(), X[:, [1, 3]], Y, cv=SPLITS, scoring=scoring).mean()
    assert chosen.criterion.bind(Dataset(X, Y)).evaluate([1, 3]) == theirs


def test_native_may_be_declined():
    chosen = chosen_for(KNeighborsClassifier(), native=False)
    assert not chosen.is_native
    assert chosen.reason == "KNeighborsClassifier is fitted and scored by cross-validation: `native` is False."
    with pytest.raises(InputError, match="`native` must be 'auto', True or False, got 'always'"):
        chosen_for(KNeighborsClassifier(), native="always")


def test_parameters_for_fit_or_score_are_for_the_estimator():
    weights = np.where(Y == 0, 10.0, 0.1)
    chosen = chosen_for(SVC(), fit_params={"sample_weight": weights})
    assert "only the estimator itself knows what to do with these parameters for fit" in chosen.reason
    theirs = cross_val_score(SVC(), X[:, [0, 2]], Y, cv=SPLITS, params={"sample_weight": weights}).mean()
    assert chosen.criterion.bind(Dataset(X, Y)).evaluate([0, 2]) == theirs
    assert theirs != chosen_for(SVC()).criterion.bind(Dataset(X, Y)).evaluate([0, 2])
    chosen = chosen_for(RidgeClassifier(), score_params={"sample_weight": weights})
    assert "only the estimator itself knows what to do with parameters for its score" in chosen.reason


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        (Y - 0.5, "`sample_weight` is negative or infinite somewhere"),
        (np.column_stack([Y, Y]), "`sample_weight` is not one number per sample"),
        (np.isin(np.arange(36), SPLITS[0][1]), "`sample_weight` is zero for a whole training part"),
    ],
)
def test_weights_that_are_left_to_the_estimator(weights, reason):
    assert reason in chosen_for(Ridge(), y=X[:, 0], fit_params={"sample_weight": weights}).reason


def test_naive_bayes_needs_weight_in_every_class():
    chosen = chosen_for(MultinomialNB(), fit_params={"sample_weight": Y})
    assert "`sample_weight` is zero for a whole class of a training part" in chosen.reason
    assert chosen_for(RidgeClassifier(), fit_params={"sample_weight": Y}).is_native


def test_counts_whose_weighted_sums_have_few_digits():
    apart = np.where(np.arange(36) == 3, 1e4, 1.0)
    chosen = chosen_for(MultinomialNB(), fit_params={"sample_weight": apart})
    assert "weighed so differently, have too few digits on one grid" in chosen.reason
    assert chosen_for(MultinomialNB(), np.rint(X), fit_params={"sample_weight": apart}).is_native
    assert chosen_for(GaussianNB(), fit_params={"sample_weight": apart}).is_native


@pytest.mark.parametrize("estimator", [GaussianNB(), RidgeClassifier(), SVC()], ids=repr)
def test_sparse_data_that_estimators_treat_in_their_own_way(estimator):
    chosen = chosen_for(estimator, sparse.csr_matrix(X))
    assert "the estimator treats sparse data in its own way" in chosen.reason


def test_sparse_or_narrow_data_are_not_scaled():
    for given in (sparse.csr_matrix(X), X.astype(np.float32)):
        chosen = chosen_for(make_pipeline(MaxAbsScaler(), KNeighborsClassifier()), given)
        assert "only dense data of doubles or integers are scaled natively" in chosen.reason


def test_narrow_data_where_digits_matter():
    narrow = X.astype(np.float32)
    for estimator in (GaussianNB(), RidgeClassifier(), MultinomialNB(), KNeighborsClassifier(p=1)):
        assert "computes on float32 with fewer digits" in chosen_for(estimator, narrow).reason
    for estimator in (KNeighborsClassifier(), SVC()):
        chosen = chosen_for(estimator, narrow, native=True)
        theirs = cross_val_score(estimator, narrow[:, [0, 3, 4]], Y, cv=SPLITS).mean()
        assert chosen.criterion.bind(Dataset(narrow, Y)).evaluate([0, 3, 4]) == pytest.approx(theirs, abs=1e-12)


def test_targets_that_only_the_estimator_knows_how_to_take():
    two = np.column_stack([Y, X[:, 0]])
    for estimator in (KNeighborsRegressor(), LinearRegression(), Ridge()):
        assert "the target is not one double or integer per sample" in chosen_for(estimator, y=two).reason
    assert "the target is not one class label per sample" in chosen_for(KNeighborsClassifier(), y=X[:, 0]).reason
    several = choose_criterion(KNeighborsRegressor(), Dataset(X, two), splits=SPLITS).criterion.bind(Dataset(X, two))
    theirs = cross_val_score(KNeighborsRegressor(), X[:, [0, 1]], two, cv=SPLITS).mean()
    assert several.evaluate([0, 1]) == theirs


def test_splits_that_a_native_criterion_cannot_take():
    alike = np.arange(36) % 2 == 0
    one_class = [(np.flatnonzero(alike), np.flatnonzero(~alike))]
    assert "a training part holds one class only" in chosen_for(GaussianNB(), splits=one_class).reason
    nothing = [([0, 1, 2, 3], [])]
    assert "a split holds nothing to train on or to test" in chosen_for(GaussianNB(), splits=nothing).reason
    alone = list(LeaveOneOut().split(X))
    assert "r2 of a single sample is not defined" in chosen_for(Ridge(), y=X[:, 0], splits=alone).reason
    assert chosen_for(Ridge(), y=X[:, 0], splits=alone, scoring="neg_mean_squared_error").is_native


def test_negative_counts_are_an_error_of_the_estimator_only_where_they_are_used():
    given = X.copy()
    given[3, 4] = -1.0
    chosen = chosen_for(MultinomialNB(), given)
    assert "a feature has negative values" in chosen.reason
    cursor = chosen.criterion.bind(Dataset(given, Y))
    assert cursor.evaluate([0, 1]) == cross_val_score(MultinomialNB(), given[:, :2], Y, cv=SPLITS).mean()
    with pytest.raises(CriterionError, match="Negative values"):
        cursor.evaluate([0, 4])


def test_more_neighbours_than_samples_are_an_error():
    chosen = chosen_for(KNeighborsClassifier(25))
    with pytest.raises(DataError, match="`n_neighbors` must be at most 24, the smallest training part of data, got 25"):
        chosen.criterion.bind(Dataset(X, Y))


def test_a_partition_is_computed_jointly_and_single_splits_one_by_one():
    joint = chosen_for(KNeighborsClassifier(1)).reason
    assert "KNN(n_neighbors=1, folds=Partition(3 folds of 36 samples), ties='index')" in joint
    scaled = chosen_for(make_pipeline(StandardScaler(), KNeighborsClassifier(1))).reason
    assert "mean over 3 splits of KNN(n_neighbors=1, folds=Split(24 train, 12 test), ties='index')" in scaled
    assert "after StandardScaler" in scaled


def test_validation_needs_no_splits():
    train, test = Dataset(X[:24], Y[:24]), Dataset(X[24:], Y[24:])
    halves = list(KFold(2, shuffle=True, random_state=0).split(X))[:1]
    for estimator in (KNeighborsClassifier(1), make_pipeline(StandardScaler(), SVC()), GaussianNB(), RidgeClassifier()):
        for splits in (SPLITS, halves):
            criterion = chosen_for(estimator, splits=splits, native=True).criterion
            fitted = estimator.fit(X[:24, 1:4], Y[:24]).score(X[24:, 1:4], Y[24:])
            assert criterion.validate(train, test, np.array([1, 2, 3])) == pytest.approx(fitted, abs=1e-12)
