"""Cross-validation gives the same values on every backend, and further arguments reach the estimator."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn import config_context
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sweepless import Dataset, Direction
from sweepless.criteria import EstimatorCriterion
from sweepless.errors import CriterionError

DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(60) % 3)
X = DRAWS.normal(size=(60, 8)) + 0.4 * Y[:, None]
SPLITS = list(StratifiedKFold(3).split(X, Y))
FORMS = {"array": X, "sparse": sparse.csr_matrix(X), "dataframe": pd.DataFrame(X, columns=list("abcdefgh"))}


class NamesOnly(LogisticRegression):
    """Refuses anything but a dataframe."""

    def fit(self, X, y):
        assert list(X.columns) == sorted(X.columns)
        return super().fit(X, y)


def peeked(criterion, data, backend):
    cursor = criterion.bind(data)
    cursor.jump([1, 4])
    with parallel_config(backend=backend):
        added = cursor.peek(Direction.ADD, np.array([0, 2, 3, 7]))
        removed = cursor.peek(Direction.REMOVE, np.array([1, 4]))
        probes = cursor.evaluate_many([np.array([0]), np.array([2, 5]), np.array([1, 3, 6])])
    return np.concatenate([added, removed, probes])


@pytest.mark.parametrize("form", FORMS)
def test_neither_workers_nor_backends_change_a_bit(form):
    data = Dataset(FORMS[form], Y)
    estimator = LogisticRegression(max_iter=50)
    alone = peeked(EstimatorCriterion(estimator, "neg_log_loss", SPLITS), data, "loky")
    for n_jobs, backend in ((2, "loky"), (3, "threading"), (2, "sequential")):
        together = peeked(EstimatorCriterion(estimator, "neg_log_loss", SPLITS, n_jobs), data, backend)
        assert np.array_equal(alone, together)


@pytest.mark.parametrize("form", FORMS)
def test_values_are_those_of_cross_val_score(form):
    given = FORMS[form]
    members = [0, 3, 5]
    narrowed = given.iloc[:, members] if form == "dataframe" else given[:, members]
    for estimator in (DecisionTreeClassifier(random_state=0), LogisticRegression()):
        theirs = cross_val_score(estimator, narrowed, Y, cv=SPLITS).mean()
        ours = EstimatorCriterion(estimator, cv=SPLITS).bind(Dataset(given, Y)).evaluate(members)
        assert ours == pytest.approx(theirs, abs=1e-15)


def test_dataframes_stay_dataframes():
    frame = FORMS["dataframe"]
    by_name = make_pipeline(
        make_column_transformer((StandardScaler(), make_column_selector("[a-d]")), remainder="passthrough"), NamesOnly()
    ).set_output(transform="pandas")
    for estimator in (NamesOnly(), by_name):
        if estimator is by_name:
            estimator[0].set_params(verbose_feature_names_out=False)
        criterion = EstimatorCriterion(estimator, cv=SPLITS, n_jobs=2)
        assert len(peeked(criterion, Dataset(frame, Y), "loky")) == 9
    train, test = Dataset(frame, Y).take(np.arange(40)), Dataset(frame, Y).take(np.arange(60) >= 40)
    fitted = NamesOnly().fit(frame.iloc[:40, [1, 2]], Y[:40]).score(frame.iloc[40:, [1, 2]], Y[40:])
    assert EstimatorCriterion(NamesOnly()).validate(train, test, [1, 2]) == fitted
    with pytest.raises(CriterionError, match="AttributeError"):
        EstimatorCriterion(NamesOnly(), cv=SPLITS).bind(Dataset(X, Y)).evaluate([0])


def test_parameters_reach_fit_and_scorer_split_like_the_samples():
    weights = np.where(Y == 1, 5.0, 0.2)
    scorer = make_scorer(accuracy_score)
    criterion = EstimatorCriterion(
        LogisticRegression(), scorer, SPLITS, None, {"sample_weight": weights}, {"sample_weight": weights}
    )
    expected = []
    for train, test in SPLITS:
        fitted = LogisticRegression().fit(X[train][:, [0, 6]], Y[train], sample_weight=weights[train])
        predicted = fitted.predict(X[test][:, [0, 6]])
        expected.append(accuracy_score(Y[test], predicted, sample_weight=weights[test]))
    assert criterion.bind(Dataset(X, Y)).evaluate([0, 6]) == pytest.approx(np.mean(expected), abs=1e-15)
    assert np.mean(expected) != pytest.approx(
        EstimatorCriterion(LogisticRegression(), cv=SPLITS).bind(Dataset(X, Y)).evaluate([0, 6])
    )


def test_what_is_no_sample_by_sample_parameter_is_passed_on_as_it_is():
    tree = DecisionTreeClassifier(random_state=0)
    given = EstimatorCriterion(tree, None, SPLITS, None, {"check_input": True, "sample_weight": None})
    plain = EstimatorCriterion(tree, None, SPLITS)
    assert given.bind(Dataset(X, Y)).evaluate([1, 2]) == plain.bind(Dataset(X, Y)).evaluate([1, 2])


def test_several_targets_and_groups():
    targets = X[:, :2] + DRAWS.normal(size=(60, 2))
    splits = list(GroupKFold(4).split(X, targets, groups=np.arange(60) // 6))
    for estimator in (Ridge(), DecisionTreeClassifier(random_state=0)):
        target = targets if isinstance(estimator, Ridge) else np.column_stack([Y, Y % 2])
        scoring = None if isinstance(estimator, Ridge) else make_scorer(lambda a, b: float(np.mean(a == b)))
        theirs = cross_val_score(estimator, X[:, [0, 5]], target, cv=splits, scoring=scoring).mean()
        ours = EstimatorCriterion(estimator, scoring, splits).bind(Dataset(X, target)).evaluate([0, 5])
        assert ours == pytest.approx(theirs, abs=1e-15)


def test_metadata_are_routed_in_workers_too():
    weights = np.where(Y == 1, 5.0, 0.2)
    with config_context(enable_metadata_routing=True):
        estimator = make_pipeline(StandardScaler(), LogisticRegression().set_fit_request(sample_weight=True))
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        estimator[0].set_fit_request(sample_weight=False)
        params = {"sample_weight": weights}
        theirs = cross_val_score(estimator, X[:, [1, 4, 7]], Y, cv=SPLITS, scoring=scorer, params=params).mean()
        criterion = EstimatorCriterion(estimator, scorer, SPLITS, 2, params, params)
        values = peeked(criterion, Dataset(X, Y), "loky")
    assert values[3] == pytest.approx(theirs, abs=1e-15)
