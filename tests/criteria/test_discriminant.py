"""Discriminant analysis without a fit: the formulas, the same bits next door, no value where rounding would decide."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from sweepless import Dataset, Direction
from sweepless.criteria.discriminant.linear import LinearAnalysis, LinearDiscriminant
from sweepless.criteria.discriminant.quadratic import QuadraticAnalysis, QuadraticDiscriminant
from sweepless.criteria.discriminant.shrinkage import Neighborhood
from sweepless.criteria.estimator import EstimatorCriterion
from sweepless.criteria.fallback import Fallback
from sweepless.criteria.folds import Split
from sweepless.errors import DataError, InputError
from sweepless.kernels.discriminant.margins import sum_magnitudes
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.discriminant import magnitudes, posteriors
from tests.reference.moves import from_scratch, neighbors, wander

CASES = knn_cases(n_samples=36, n_features=4)
FOLDS = np.arange(36) // 2 % 3  # two classes train in every fold, whatever the case
KINDS = [
    (LinearDiscriminant, {}),
    (LinearDiscriminant, {"solver": "lsqr"}),
    (LinearDiscriminant, {"solver": "eigen", "shrinkage": 0.3}),
    (LinearDiscriminant, {"solver": "lsqr", "shrinkage": "auto"}),
    (QuadraticDiscriminant, {}),
    (QuadraticDiscriminant, {"reg_param": 0.2}),
    (QuadraticDiscriminant, {"solver": "eigen", "shrinkage": 0.3}),
    (QuadraticDiscriminant, {"solver": "eigen", "shrinkage": "auto"}),
]
SEVERAL = pytest.mark.parametrize(("kind", "options"), KINDS, ids=lambda part: getattr(part, "__name__", repr(part)))


def normal_classes(n_classes, n_samples=90, n_features=8, seed=0):
    draws = np.random.default_rng(seed)
    y = draws.permutation(np.arange(n_samples) % n_classes)
    X = draws.normal(size=(n_samples, n_features)) @ (np.eye(n_features) + 0.3 * draws.normal(size=(n_features,) * 2))
    return 2.0 + X + 0.7 * draws.normal(size=(n_classes, n_features))[y], y


@SEVERAL
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("has_priors", [False, True])
def test_values_are_those_of_the_formulas(kind, options, n_classes, has_priors):
    X, y = normal_classes(n_classes, n_samples=300)
    if has_priors:
        options = options | {"priors": (np.arange(n_classes) + 1.0) / sum(range(n_classes + 1))}
    train, test = np.arange(270), np.arange(270, 300)
    for score, tolerance in (("accuracy", 0.0), ("neg_log_loss", 1e-12)):
        cursor = kind(**options, folds=Split(train, test), score=score).bind(Dataset(X, y))
        for members in ([0], [1, 4], [0, 2, 3, 5, 6]):
            logs = posteriors(
                X[train][:, members], y[train], X[test][:, members], linear=kind is LinearDiscriminant, **options
            )
            shares = np.exp(logs - logs.max(axis=0)) / np.exp(logs - logs.max(axis=0)).sum(axis=0)
            losses = np.log(shares[y[test], np.arange(30)])
            naive = np.mean(logs.argmax(axis=0) == y[test]) if score == "accuracy" else losses.mean()
            assert cursor.evaluate(members) == pytest.approx(naive, abs=tolerance, rel=tolerance)


@SEVERAL
@pytest.mark.parametrize("score", ["accuracy", "neg_log_loss"])
def test_neighbours_have_the_bits_of_the_definition(kind, options, score):
    for name, (X, y) in CASES.items():
        if score != "accuracy" and name not in (
            "ordinary",
            "three unsorted classes",
            "duplicate columns",
            "one feature",
        ):
            continue
        cursor = kind(**options, folds=FOLDS, score=score).bind(Dataset(X, y))
        for _ in wander(cursor, 4, np.random.default_rng(1)):
            for direction, pool in neighbors(cursor):
                found = cursor.peek(direction, pool[::-1])[::-1]
                np.testing.assert_array_equal(found, from_scratch(cursor, direction, pool), name)


@SEVERAL
def test_ordinary_data_have_values(kind, options):
    X, y = normal_classes(3)
    for score in ("accuracy", "roc_auc_ovr", "neg_brier_score"):
        cursor = kind(**options, score=score).bind(Dataset(X, y))
        cursor.jump(np.array([1, 3, 6]))
        for direction, pool in neighbors(cursor):
            assert np.isfinite(cursor.peek(direction, pool)).all()


def test_a_close_call_is_settled_in_the_order_of_the_features():
    """The two classes mirror each other, so that a sample in the middle belongs to neither."""
    half = np.random.default_rng(0).normal(size=(20, 3)) + 1.0
    X = np.vstack([half, -half, np.zeros((1, 3)), half[:5]])
    y = np.repeat([0, 1, 0], [20, 20, 6])
    tied = LinearDiscriminant(folds=Split(range(40), range(40, 46))).bind(Dataset(X, y))
    clear = LinearDiscriminant(folds=Split(range(40), range(41, 46))).bind(Dataset(X, y))
    for cursor in (tied, clear):
        cursor.move(Direction.ADD, 1)
    assert np.isnan(tied.peek(Direction.ADD, [0, 2])).all()
    assert np.isnan(tied.evaluate([0, 1]))
    assert np.isfinite(clear.peek(Direction.ADD, [0, 2])).all()


def test_what_cannot_be_computed_has_no_value():
    X, y = normal_classes(3)
    X = np.column_stack([X[:, :3], X[:, 0] + X[:, 1], np.full(90, 3.7), y, X[:, 2] * 1e-3])
    data = Dataset(X, y)
    for criterion in (LinearDiscriminant(), QuadraticDiscriminant()):
        cursor = criterion.bind(data)
        assert np.isfinite(cursor.evaluate([0, 1, 2]))
        for members in ([0, 1, 3], [4], [2, 4], [5], [0, 5]):  # collinear, constant, constant within classes
            assert np.isnan(cursor.evaluate(members))
    assert np.isfinite(LinearDiscriminant().bind(data).evaluate([6]))
    assert np.isnan(QuadraticDiscriminant().bind(data).evaluate([6]))  # a variance below `tol`
    assert np.isfinite(QuadraticDiscriminant(tol=1e-9).bind(data).evaluate([6]))
    assert np.isfinite(QuadraticDiscriminant(reg_param=0.1).bind(data).evaluate([2, 4]))


def test_too_few_samples_of_a_class_have_no_value():
    X, _ = normal_classes(2, n_samples=12)
    y = np.arange(12) % 2
    data, few = Dataset(X, y), Split(range(8), range(8, 12))
    assert np.isfinite(QuadraticDiscriminant(reg_param=0.1, folds=few).bind(data).evaluate([0, 1, 2, 3]))
    assert np.isnan(QuadraticDiscriminant(reg_param=0.1, folds=few).bind(data).evaluate([0, 1, 2, 3, 4]))
    one = Split([0, 1, 3, 5, 7], [2, 4])
    assert np.isnan(QuadraticDiscriminant(reg_param=0.1, folds=one).bind(data).evaluate([0]))


def test_classes_that_hardly_scatter_in_one_direction_have_no_value():
    """The solver svd leaves out the direction in which the centers of three classes lie on a line but for 1e-5."""
    y = np.arange(93) % 3
    X, split = np.random.default_rng(0).normal(size=(93, 2)), Split(range(90), range(90, 93))
    X -= np.array([X[:90][y[:90] == c].mean(axis=0) for c in range(3)])[y]
    X += np.array([[-1.0, 0.0], [0.0, 1e-5], [1.0, 0.0]])[y]
    assert np.isnan(LinearDiscriminant(folds=split).bind(Dataset(X, y)).evaluate([0, 1]))
    assert np.isfinite(LinearDiscriminant(folds=split, tol=1e-7).bind(Dataset(X, y)).evaluate([0, 1]))
    assert np.isfinite(LinearDiscriminant("eigen", folds=split).bind(Dataset(X, y)).evaluate([0, 1]))


QUICK = [
    (QuadraticDiscriminant, QuadraticAnalysis, {"solver": "eigen", "tol": 1e-12}),
    (LinearDiscriminant, LinearAnalysis, {"solver": "eigen"}),
    (LinearDiscriminant, LinearAnalysis, {"solver": "lsqr"}),
]


@pytest.mark.parametrize(("kind", "analysis", "options"), QUICK, ids=["quadratic", "eigen", "lsqr"])
@pytest.mark.parametrize("shrinkage", [1e-6, 0.3, 1.0, "auto"])
@pytest.mark.parametrize("seed", range(6))
def test_axes_and_weights_decide_nothing_that_elimination_would_not(
    kind, analysis, options, shrinkage, seed, monkeypatch
):
    draws = np.random.default_rng(seed)
    X, y = normal_classes(3, seed=seed)
    X[:, 4:] = X[:, :4] + 10.0 ** -draws.uniform(1, 9, size=4) * X[:, 4:]  # nearly collinear
    X = X * 10.0 ** draws.uniform(-4, 4, size=8) if seed % 2 else np.round(X, 1)
    cursor = kind(**options, shrinkage=shrinkage).bind(Dataset(X, y))
    for _ in wander(cursor, 3, draws):
        pool = np.flatnonzero(~cursor.members)
        found = cursor.peek(Direction.ADD, pool)
        with monkeypatch.context() as without:
            without.setattr(analysis, "quick", lambda *_: None)
            np.testing.assert_array_equal(found, cursor.peek(Direction.ADD, pool))


@pytest.mark.parametrize(("kind", "analysis", "options"), QUICK, ids=["quadratic", "eigen", "lsqr"])
@pytest.mark.parametrize("shrinkage", [0.3, "auto"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("size", [0, 1, 5])
def test_axes_and_weights_give_the_scores_of_the_formulas(kind, analysis, options, shrinkage, n_classes, size):
    X, y = normal_classes(n_classes, n_samples=200)
    train, test, others = np.arange(150), np.arange(150, 200), np.arange(size, 8)
    (one,) = kind(**options, shrinkage=shrinkage, folds=Split(train, test)).bind(Dataset(X, y))._analyses
    assert isinstance(one, analysis)
    members = one.members(X[:, :size])
    found = one._related(members.features, one.part.describe(X[:, others]))
    quick = one.quick(Neighborhood(np.full(len(others), size), Direction.ADD), members, found, 1.0)
    for scores, other in zip(quick.scores, others, strict=True):
        given = X[:, [*range(size), other]]
        formula = posteriors(
            given[train], y[train], given[test], linear=analysis is LinearAnalysis, shrinkage=shrinkage
        )
        # Of what a linear model says about a sample, a term that all classes share is left out.
        np.testing.assert_allclose(scores - scores[0], formula - formula[0], rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("shape", [(1, 2, 1), (5, 2, 30), (3, 7, 40)])
def test_magnitudes_are_those_of_the_true_and_of_the_greatest_scores(shape):
    draws = np.random.default_rng(1)
    scores, truth = draws.normal(size=shape).round(1), draws.integers(0, shape[1], shape[2])
    sums = np.empty(shape[0])
    sum_magnitudes(scores, truth, sums)
    np.testing.assert_allclose(sums, magnitudes(scores, truth), rtol=1e-14)


def test_a_class_that_a_training_part_lacks_is_never_predicted():
    X, y = normal_classes(3)
    train, test = np.flatnonzero(y < 2), np.flatnonzero(y == 2)
    for kind in (LinearDiscriminant, QuadraticDiscriminant):
        assert kind(folds=Split(train, test)).bind(Dataset(X, y)).evaluate([0, 1]) == 0.0


def test_the_contract_is_kept_with_an_estimator_behind():
    X, y = normal_classes(3, n_samples=40, n_features=5)
    X = np.column_stack([X, X[:, 0]])
    otherwise = EstimatorCriterion(LinearDiscriminantAnalysis(), cv=3)
    check_criterion(Fallback(LinearDiscriminant(), otherwise), Dataset(X, y), n_rounds=3)


def test_invalid_arguments_and_data_are_refused():
    X, y = normal_classes(3)
    with pytest.raises(InputError, match="`solver` must be one of svd, lsqr, eigen, got 'qr'"):
        LinearDiscriminant("qr")
    for kind in (LinearDiscriminant, QuadraticDiscriminant):
        with pytest.raises(InputError, match=r"`shrinkage` must be None for the solver svd, got 0\.5"):
            kind(shrinkage=0.5)
        with pytest.raises(InputError, match="`shrinkage` must be None, 'auto' or a number from 0 to 1, got 2"):
            kind("eigen", shrinkage=2)
        with pytest.raises(InputError, match="`score` must be scikit-learn's name of a score"):
            kind(score="r2")
        with pytest.raises(DataError, match="`priors` must hold a share for each of 3 classes, got 2"):
            kind(priors=(0.5, 0.5)).bind(Dataset(X, y))
        with pytest.raises(DataError, match="must hold samples and leave two classes"):
            kind(folds=Split(np.flatnonzero(y == 0), np.flatnonzero(y == 1))).bind(Dataset(X, y))
        with pytest.raises(DataError, match="must leave all classes to train on for this score"):
            kind(folds=Split(np.flatnonzero(y < 2), np.flatnonzero(y == 2)), score="roc_auc_ovr").bind(Dataset(X, y))
    with pytest.raises(InputError, match="`reg_param` must be a number from 0 to 1, got 3"):
        QuadraticDiscriminant(reg_param=3)
