"""Every native estimator has scikit-learn's value by every score, and every other score an honest reason."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    check_scoring,
    cohen_kappa_score,
    fbeta_score,
    get_scorer,
    make_scorer,
    mean_pinball_loss,
    mean_squared_error,
    precision_score,
    recall_score,
    roc_auc_score,
    top_k_accuracy_score,
)
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sweepless import Dataset, Direction, SequentialSelector
from sweepless.errors import CriterionError
from sweepless.selectors.native import choose_criterion
from tests.scikit_learn import known

OUTPUTS = ("decision_function", "predict_proba")
AVERAGED = [f"{m}_{a}" for m in ("precision", "recall", "f1", "jaccard") for a in ("micro", "macro", "weighted")]
LABELS = ["accuracy", "balanced_accuracy", "matthews_corrcoef", *AVERAGED]
BINARY = ["precision", "recall", "f1", "jaccard"]
LOSSES = ["neg_log_loss", "neg_brier_score", "d2_log_loss_score", "d2_brier_score"]
MANY = ["roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted"]
NUMBERS = [
    "r2", "explained_variance", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error",
    "neg_median_absolute_error", "neg_max_error", "neg_mean_absolute_percentage_error", "neg_mean_squared_log_error",
    "neg_root_mean_squared_log_error", "d2_absolute_error_score", "neg_mean_poisson_deviance",
    "neg_mean_gamma_deviance",
]  # fmt: skip
SCORERS = {
    "kappa": make_scorer(cohen_kappa_score),
    "weighted kappa": make_scorer(cohen_kappa_score, weights="linear"),
    "F2": make_scorer(fbeta_score, beta=2, average="macro", pos_label=None),
    "recall of class 0": make_scorer(recall_score, pos_label=0),
    "precision, 1 if none": make_scorer(precision_score, average="macro", pos_label=None, zero_division=1),
    "precision, NaN if none": make_scorer(precision_score, average="macro", pos_label=None, zero_division=np.nan),
    "adjusted": make_scorer(balanced_accuracy_score, adjusted=True),
    "average precision of class 0": make_scorer(average_precision_score, response_method=OUTPUTS, pos_label=0),
    "top 1": make_scorer(top_k_accuracy_score, response_method=OUTPUTS, k=1),
    "top 5": make_scorer(top_k_accuracy_score, response_method=OUTPUTS, k=5),
    "largest area": make_scorer(roc_auc_score, response_method="predict_proba", average="weighted", multi_class="ovo"),
    "pinball": make_scorer(mean_pinball_loss, alpha=0.2, greater_is_better=False),
    "errors of names": make_scorer(mean_squared_error),
}
EVERYWHERE = [*LABELS, "kappa", "F2", "precision, 1 if none", "precision, NaN if none", "adjusted"]
NATIVE = {
    "binary": [*EVERYWHERE, *BINARY, "recall of class 0", "errors of names", "weighted kappa"],
    "three": [*EVERYWHERE, "errors of names", "weighted kappa"],
    "names": [*EVERYWHERE, "weighted kappa"],
    "two names": EVERYWHERE,
}
RANKS = {
    "binary": ["roc_auc", "average_precision", "average precision of class 0"],
    "three": ["average_precision", "top_k_accuracy", "top 1", "top 5"],
    "names": ["top_k_accuracy", "top 1", "top 5"],
    "two names": ["roc_auc"],
}
PROBABILITIES = {
    "binary": [*known(LOSSES), "roc_auc_ovr", "roc_auc_ovo"],
    "three": [*known(LOSSES, 3), *MANY, "largest area"],
    "names": [*known(LOSSES, 3), *MANY, "largest area"],
    "two names": known(["neg_log_loss", "d2_log_loss_score", "roc_auc_ovr", "roc_auc_ovo"]),
}
ONLY_POSITIVE = (
    "neg_mean_squared_log_error", "neg_root_mean_squared_log_error", "neg_mean_poisson_deviance",
    "neg_mean_gamma_deviance",
)  # fmt: skip
SUBSETS = ([6], [0, 1, 2, 5])


def problem(kind, ties=True):
    """Unbalanced classes or numbers, a feature of few values, and one that is constant but in a few samples."""
    draws = np.random.default_rng(8)
    X = draws.normal(size=(75, 7))
    latent = X[:, 0] + 0.5 * X[:, 1] + 0.7 * draws.normal(size=75)
    if ties:
        X[:, 5] = np.round(X[:, 5])
        X[:, 6] = np.arange(75) % 25 == 3
    y = {
        "binary": (latent > 0.7).astype(int),
        "three": np.digitize(latent, [-0.9, 0.9]),
        "names": np.array(["a", "b", "c"])[np.digitize(latent, [-1.0, 0.6])],
        "two names": np.where(latent > 0.5, "yes", "no"),
        "numbers": np.abs(latent) + 0.1,
    }[kind]
    folds = KFold(3) if kind == "numbers" else StratifiedKFold(3)
    return X, y, list(folds.split(X, y))


def theirs(estimator, X, y, splits, members, names):
    """Return what scikit-learn says by every score; predictions are made once for all scores of a positive class."""
    part, values = X[:, members], {name: [] for name in names}
    scorers = {name: get_scorer(SCORERS.get(name, name)) for name in names}
    apart = {name: scorers.pop(name) for name in ("average precision of class 0",) if name in names}
    several = check_scoring(estimator, scoring=scorers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in splits:
            tested = clone(estimator).fit(part[train], y[train]), part[test], y[test]
            found = several(*tested) | {name: scorer(*tested) for name, scorer in apart.items()}
            for name in names:
                values[name].append(found[name])
    return {name: np.mean(each) for name, each in values.items()}


def require_same(estimator, X, y, splits, names, never_declines=()):
    expected = {
        tuple(members): theirs(estimator, X, y, splits, members, names) for members in (*SUBSETS, [0, 2, 4, 5], [2, 5])
    }
    data = Dataset(X, y)
    for name in names:
        chosen = choose_criterion(estimator, data, scoring=SCORERS.get(name, name), splits=splits)
        assert chosen.is_native, (name, chosen.reason)
        cursor = chosen.criterion.bind(data)
        cursor.jump([0, 2, 5])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = {tuple(members): cursor.evaluate(members) for members in SUBSETS}
            found[0, 2, 4, 5] = cursor.peek(Direction.ADD, [4])[0]
            found[2, 5] = cursor.peek(Direction.REMOVE, [0])[0]
        for members, value in found.items():
            assert value == pytest.approx(expected[members][name], rel=1e-12, abs=1e-12), (name, members)
        if name in never_declines:
            inside = cursor._inner if hasattr(cursor, "_inner") else cursor
            assert np.isfinite([inside.evaluate(members) for members in ([0, 1, 2], list(range(5)))]).all(), name


@pytest.mark.parametrize(
    ("estimator", "kind"),
    [
        (RidgeClassifier(), "binary"),
        (RidgeClassifier(), "names"),
        (make_pipeline(StandardScaler(), RidgeClassifier(0.1)), "two names"),
        (SVC(), "binary"),
        (SVC(), "three"),
        (GaussianNB(), "binary"),
        (GaussianNB(), "three"),
        (GaussianNB(), "two names"),
        (MultinomialNB(), "binary"),
        (MultinomialNB(), "names"),
    ],
    ids=repr,
)
def test_classifiers(estimator, kind):
    X, y, splits = problem(kind)
    X = np.abs(X) if isinstance(estimator, MultinomialNB) else X
    shares = PROBABILITIES[kind] if hasattr(estimator, "predict_proba") else []
    require_same(estimator, X, y, splits, [*NATIVE[kind], *RANKS[kind], *shares], [*LABELS, *RANKS[kind], *shares])


@pytest.mark.parametrize(("n_neighbors", "kind"), [(1, "binary"), (1, "names"), (4, "binary"), (4, "three")])
def test_neighbours(n_neighbors, kind):
    X, y, splits = problem(kind, ties=False)
    names = [*NATIVE[kind], *RANKS[kind], *PROBABILITIES[kind]]
    require_same(KNeighborsClassifier(n_neighbors), X, y, splits, names, names)


@pytest.mark.parametrize(("n_neighbors", "kind"), [(1, "binary"), (4, "binary"), (4, "three")])
def test_neighbours_weighed_by_distance(n_neighbors, kind):
    X, y, splits = problem(kind, ties=False)
    names = [*NATIVE[kind], *RANKS[kind], *PROBABILITIES[kind]]
    require_same(KNeighborsClassifier(n_neighbors, weights="distance"), X, y, splits, names, names)


@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge(0.5, fit_intercept=False), KNeighborsRegressor(3)])
def test_regressors(estimator):
    has_ties = not isinstance(estimator, KNeighborsRegressor)
    X, y, splits = problem("numbers", has_ties)
    names = [name for name in NUMBERS if not (has_ties and name in ONLY_POSITIVE)]
    require_same(estimator, X, y, splits, ["pinball", *names])


def test_sparse_counts_with_equal_rows_are_ranked_natively():
    draws = np.random.default_rng(9)
    X, y = draws.poisson(0.3, size=(90, 7)).astype(float), np.arange(90) % 2
    splits = list(StratifiedKFold(3).split(X, y))
    data = Dataset(sparse.csr_array(X), y)
    cursor = choose_criterion(MultinomialNB(), data, scoring="roc_auc", splits=splits).criterion.bind(data)
    for members in ([0], [0, 1], [0, 2, 3]):
        theirs = cross_val_score(MultinomialNB(), sparse.csr_array(X[:, members]), y, cv=splits, scoring="roc_auc")
        assert cursor._inner.evaluate(members) == pytest.approx(theirs.mean(), abs=1e-12)


@pytest.mark.parametrize("apart", [1.0, 4.0, 7.0, 12.0])
def test_sure_probabilities_have_the_digits_of_scikit_learn(apart):
    draws = np.random.default_rng(10)
    y = np.arange(120) % 2
    X = draws.normal(size=(120, 7)) + apart * draws.permutation(y)[:, None]  # sure, and wrong half of the time
    splits = list(StratifiedKFold(3).split(X, y))
    names = known(["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score", "d2_log_loss_score"])
    require_same(GaussianNB(), X, y, splits, names)


@pytest.mark.parametrize("rate", [2.0, 10.0, 40.0])
def test_complements_have_the_digits_of_scikit_learn(rate):
    draws = np.random.default_rng(int(rate))
    kinds = np.arange(240) % 2
    X = draws.poisson(rate * np.exp(0.3 * kinds[:, None] * draws.normal(size=8)), size=(240, 8)).astype(float)
    y = np.where(draws.random(240) < 0.15, 1 - kinds, kinds)  # sure, and sometimes wrong
    data, splits = Dataset(X, y), list(StratifiedKFold(3).split(X, y))
    cursor = choose_criterion(MultinomialNB(), data, scoring="neg_log_loss", splits=splits).criterion.bind(data)
    values = cursor._inner.evaluate_many([np.arange(size) for size in range(1, 9)])
    assert np.count_nonzero(np.isfinite(values)) > 5
    for size in range(1, 9):
        theirs = cross_val_score(MultinomialNB(), X[:, :size], y, cv=splits, scoring="neg_log_loss").mean()
        assert np.isnan(values[size - 1]) or values[size - 1] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    ("estimator", "kind", "scoring", "reason"),
    [
        (RidgeClassifier(), "binary", "neg_log_loss", "RidgeClassifier has no predict_proba"),
        (SVC(), "three", "roc_auc_ovr", "SVC has no predict_proba"),
        (SVC(decision_function_shape="ovo"), "three", "top_k_accuracy", "`decision_function_shape='ovo'` is not"),
        (GaussianNB(), "three", "f1", "f1 needs two classes, one of them 1"),
        (GaussianNB(), "two names", "f1", "`pos_label=1` is no class"),
        (GaussianNB(), "two names", "neg_brier_score", "needs to be told which of two names is the positive class"),
        (GaussianNB(), "three", "roc_auc", "`scoring='roc_auc'` is not computed natively"),
        (GaussianNB(), "binary", "top_k_accuracy", "top_k_accuracy needs more than two classes"),
        (KNeighborsClassifier(), "binary", lambda estimator, X, y: 0.0, "is not computed natively"),
        (KNeighborsClassifier(), "binary", "nothing", "`scoring='nothing'` is unknown to scikit-learn"),
        (KNeighborsRegressor(), "numbers", "rand_score", "takes numbers for names of clusters"),
        (Ridge(), "numbers", "roc_auc", "Ridge has no decision_function or predict_proba"),
    ],
)
def test_other_scores_are_left_to_the_estimator(estimator, kind, scoring, reason):
    X, y, splits = problem(kind)
    chosen = choose_criterion(estimator, Dataset(X, y), scoring=scoring, splits=splits)
    assert not chosen.is_native
    assert reason in chosen.reason


def test_ranks_need_every_class_everywhere():
    X, y, _ = problem("binary")
    splits = list(KFold(3).split(X))
    chosen = choose_criterion(GaussianNB(), Dataset(X, np.arange(75) < 30), scoring="roc_auc", splits=splits)
    assert "roc_auc needs every class in every fold" in chosen.reason
    y = np.where(np.arange(75) < 25, 2, y)
    chosen = choose_criterion(GaussianNB(), Dataset(X, y), scoring="neg_log_loss", splits=splits)
    assert "neg_log_loss needs every class in every training part" in chosen.reason


def test_what_a_score_cannot_value_is_the_error_of_the_estimator():
    X, y, splits = problem("numbers")
    data = Dataset(X, y - 5.0)
    for estimator in (Ridge(), KNeighborsRegressor()):
        chosen = choose_criterion(estimator, data, scoring="neg_mean_squared_log_error", splits=splits)
        with pytest.raises(CriterionError, match=f"{type(estimator).__name__} raised ValueError"):
            chosen.criterion.bind(data).evaluate([0])


@pytest.mark.parametrize("scoring", known(["neg_log_loss", "d2_log_loss_score"]))
def test_losses_with_few_digits_are_those_of_the_estimator(scoring):
    X, y, splits = problem("binary")
    far = Dataset(X + 1e6, y)
    assert choose_criterion(GaussianNB(), far, scoring=scoring, splits=splits).criterion.aside == tuple(range(7))
    assert choose_criterion(GaussianNB(), far, scoring="roc_auc", splits=splits).criterion.aside == ()
    for counts in (np.abs(X), np.abs(X) * 1e5):
        data = Dataset(counts, y)
        cursor = choose_criterion(MultinomialNB(), data, scoring=scoring, splits=splits).criterion.bind(data)
        assert np.isfinite(cursor._inner.evaluate([0, 1]))
        expected = cross_val_score(MultinomialNB(), counts[:, :2], y, cv=splits, scoring=scoring).mean()
        assert cursor.evaluate([0, 1]) == pytest.approx(expected, rel=1e-12)


def test_a_metric_called_for_every_candidate_is_expected_to_take_its_time():
    X, y, splits = problem("binary")
    data = Dataset(X, y)
    usual, called = (
        choose_criterion(GaussianNB(), data, scoring=scoring, splits=splits).criterion.operations(data, 3)
        for scoring in ("f1", SCORERS["F2"])
    )
    assert called > usual + 1e6


def test_a_selector_searches_by_any_score():
    X, y, _ = problem("binary")
    selector = SequentialSelector(GaussianNB(), method="SFS", n_features_to_select=2, scoring="roc_auc", native=True)
    selector.fit(X, y)
    theirs = cross_val_score(GaussianNB(), selector.transform(X), y, scoring="roc_auc").mean()
    assert selector.best_score_ == pytest.approx(theirs, abs=1e-12)
    assert "score='roc_auc'" in selector.criterion_.reason
