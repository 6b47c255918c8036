"""Scores are what their definitions say, whatever the batch, and have no value where rounding would decide."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pytest

from sweepless import Dataset
from sweepless.criteria import KNN, SVM, GaussianNB, KNNRegression, MultinomialNB
from sweepless.criteria.folds import Split
from sweepless.criteria.linear.least_squares import LeastSquares
from sweepless.criteria.scores.base import BoundScore, Outputs
from sweepless.criteria.scores.labels import ClassScore
from sweepless.criteria.scores.metric import MetricScore
from sweepless.criteria.scores.names import SCORES, score_of
from sweepless.errors import InputError
from sweepless.kernels.bayes.probabilities import fill_probabilities
from sweepless.kernels.scores import (
    confusion_tables,
    count_ranks,
    count_top,
    elect,
    row_sums,
    squared_logarithms,
    sum_log_losses,
    sum_squared_losses,
)
from sweepless.testing import check_criterion
from tests.reference import scores as reference
from tests.reference.moves import from_scratch, neighbors, wander

NEVER = np.array([[-1.0, 0.0, 0.0]])
NO_ROWS = np.empty((0, 0))


def drawn(kind, n_candidates, n_outputs, n_samples, seed=0):
    """Outputs without ties, with many ties, or all equal."""
    draws = np.random.default_rng(seed)
    outputs = draws.normal(size=(n_candidates, n_outputs, n_samples))
    return {"apart": outputs, "tied": np.round(outputs), "equal": np.zeros_like(outputs)}[kind]


@pytest.mark.parametrize("kind", ["apart", "tied", "equal"])
@pytest.mark.parametrize("n_positive", [1, 7, 19])
def test_ranks_by_definition(kind, n_positive):
    outputs = drawn(kind, 5, 1, 20)[:, 0]
    is_positive = np.random.default_rng(1).permutation(np.arange(20) < n_positive)
    areas, precisions = np.empty((2, 5))
    sides = np.sort(outputs[:, is_positive]), np.sort(outputs[:, ~is_positive])
    count_ranks(*sides, np.repeat(NEVER, 5, axis=0), np.inf, -np.inf, NO_ROWS, areas, precisions)
    np.testing.assert_allclose(areas, [reference.area(row, is_positive) for row in outputs], rtol=1e-14)
    np.testing.assert_allclose(precisions, [reference.average_precision(row, is_positive) for row in outputs], 1e-14)


def test_one_sample_of_each_class_at_every_output():
    outputs, is_positive = np.repeat(np.arange(5.0), 2)[None], np.arange(10) % 2 == 0
    areas, precisions = np.empty((2, 1))
    sides = outputs[:, is_positive], outputs[:, ~is_positive]
    count_ranks(*sides, NEVER, np.inf, -np.inf, NO_ROWS, areas, precisions)
    assert areas[0] == 0.5
    assert precisions[0] == pytest.approx(reference.average_precision(outputs[0], is_positive))


@pytest.mark.parametrize(
    ("positives", "negatives", "is_known"),
    [
        ([0.3, 0.5], [0.1, 0.4], True),
        ([0.3, 0.5], [0.1, 0.49], False),  # too close
        ([0.3, 0.49], [0.1, 0.5], False),
        ([0.49, 0.5], [0.1, 0.2], True),  # of one class
        ([0.0, 0.5], [0.0, 0.3], True),  # equal in any arithmetic
        ([0.3, 0.5], [0.3, 0.4], False),
        ([0.3, np.nan], [0.1, 0.4], False),
        ([0.3, 0.5], [0.1, np.nan], False),
    ],
)
def test_ranks_that_rounding_might_change_are_not_known(positives, negatives, is_known):
    areas, precisions = np.empty((2, 1))
    sides = np.array([positives]), np.array([negatives])
    count_ranks(*sides, np.array([[0.02, 0.0, 0.0]]), 0.0, 1.0, NO_ROWS, areas, precisions)
    assert np.isfinite(areas[0]) == np.isfinite(precisions[0]) == is_known
    if is_known:
        outputs, is_positive = np.concatenate(sides, axis=1)[0], np.arange(4) < 2
        assert areas[0] == reference.area(outputs, is_positive)


@pytest.mark.parametrize(("row", "is_known"), [([3.0, 1.0], True), ([2.0, 1.0], False)])
def test_equal_outputs_of_equal_rows_are_known(row, is_known):
    rows = np.array([[0.3, *row], [0.5, 7.0, 7.0], [0.3, 3.0, 1.0], [0.1, 0.0, 0.0]])
    areas, precisions = np.empty((2, 1))
    sides = np.array([[0.3, 0.5]]), np.array([[0.1, 0.3]])
    count_ranks(*sides, np.array([[0.02, 0.0, 0.0]]), 0.0, 1.0, rows, areas, precisions)
    assert np.isfinite(areas[0]) == is_known


@pytest.mark.parametrize("kind", ["apart", "tied", "equal"])
@pytest.mark.parametrize("n_outputs", [1, 2, 4])
def test_winners_tables_and_tops_by_definition(kind, n_outputs):
    outputs, doubts = drawn(kind, 6, n_outputs, 30), np.repeat(NEVER, 6, axis=0)
    n_classes = max(2, n_outputs)
    truth = np.random.default_rng(2).integers(0, n_classes, 30)
    labels, is_sure = np.empty((6, 30), dtype=np.int64), np.empty(6, dtype=np.bool_)
    elect(outputs, doubts, np.empty((6, 0), dtype=np.bool_), labels, is_sure)
    assert is_sure.all()
    assert labels.tolist() == [reference.winners(rows) for rows in outputs]
    tables = np.zeros((6, n_classes, n_classes), dtype=np.int64)
    confusion_tables(labels, truth, tables)
    assert tables.tolist() == [reference.confusion(row, truth, n_classes) for row in labels]
    if n_outputs > 1:
        hits = np.empty(6)
        for k in (1, 2, 3):
            count_top(outputs, truth, k, doubts, np.inf, -np.inf, hits)
            assert hits.tolist() == [reference.top(rows, truth, k) for rows in outputs]


@pytest.mark.parametrize("scale", [1.0, 30.0, 2000.0])
def test_probabilities_and_losses_by_definition(scale):
    outputs = scale * drawn("apart", 4, 3, 25)
    truth = np.random.default_rng(3).integers(0, 3, 25)
    shares, largest, losses = np.empty(outputs.shape), np.empty(4), np.empty(4)
    fill_probabilities(outputs, 0.5, shares, largest)
    parts = np.exp(0.5 * (outputs - outputs.max(axis=1, keepdims=True)))
    np.testing.assert_allclose(shares, parts / parts.sum(axis=1, keepdims=True), rtol=1e-13, atol=1e-320)
    assert largest.tolist() == np.abs(outputs.max(axis=1)).max(axis=1).tolist()
    sum_log_losses(shares, truth, losses)
    np.testing.assert_allclose(losses, [reference.log_loss(one, truth) for one in shares], rtol=1e-13)
    sum_squared_losses(shares, truth, losses)
    np.testing.assert_allclose(losses, [reference.brier(one, truth) for one in shares], rtol=1e-13)


def test_only_probabilities_that_round_in_any_arithmetic_are_0_or_1():
    gaps = np.array([0.0, 30.0, 36.0, 39.0, 41.0, 744.0, 745.5, 747.0])
    scores = np.stack([np.zeros(8), -gaps])[None]
    shares, largest = np.empty(scores.shape), np.empty(1)
    fill_probabilities(scores, 1.0, shares, largest)
    assert (shares[0, 0] == 1.0).tolist() == [False] * 4 + [True] * 4
    assert (shares[0, 1] == 0.0).tolist() == [False] * 7 + [True]


def test_sums_are_added_in_order():
    rows = np.random.default_rng(0).normal(size=(3, 40))
    assert row_sums(rows).tolist() == [reduce(add, row.tolist()) for row in rows]
    logs = squared_logarithms(np.arange(40.0), np.abs(rows))
    np.testing.assert_allclose(logs, [np.sum((np.log1p(np.arange(40)) - np.log1p(np.abs(row))) ** 2) for row in rows])
    assert np.isnan(squared_logarithms(np.arange(40.0), rows)).all()


def fold_of(score):
    """A fold, what three candidates predict there, and one without any error."""
    draws = np.random.default_rng(4)
    if score.needs == "numbers":
        truth = draws.uniform(1.0, 2.0, size=30)
        return BoundScore(score, truth, np.empty(0)), np.abs(truth + draws.normal(size=(3, 30))), truth[None]
    n_classes = 3 if score.objection(np.arange(2), [np.array([0, 1])]) else 2
    truth = draws.permutation(np.arange(30) % n_classes)
    bound = BoundScore(score, truth, np.arange(n_classes))
    parts = draws.uniform(size=(3, n_classes, 30))
    right = (truth == np.arange(n_classes)[:, None])[None].astype(float)
    return bound, Outputs.counted(parts / parts.sum(axis=1, keepdims=True)), Outputs.counted(right)


@pytest.mark.parametrize("name", SCORES)
def test_the_batch_does_not_matter_and_perfection_is_best(name):
    bound, predicted, right = fold_of(SCORES[name])
    whole = bound(predicted)

    def single(k):
        if isinstance(predicted, Outputs):
            return bound(predicted._replace(values=predicted.values[[k]], doubts=predicted.doubts[[k]]))[0]
        return bound(predicted[[k]])[0]

    assert whole.tolist() == [single(k) for k in range(3)]
    best = 0.0 if name.startswith("neg_") else 1.0
    assert bound(right)[0] == pytest.approx(best, abs=1e-14)
    assert np.all(whole < bound(right)[0])


def margins(values, doubt):
    return Outputs.margins(np.asarray(values)[None, None], np.array([doubt]))


def test_what_rounding_may_swap_has_no_value():
    truth, classes = np.array([0, 1, 0, 1]), np.arange(2)
    area, f1 = BoundScore(SCORES["roc_auc"], truth, classes), BoundScore(SCORES["f1"], truth, classes)
    assert area(margins([0.1, 0.2, 0.3, 0.4], 1e-9))[0] == 0.75
    assert np.isnan(area(margins([0.1, 0.2, 0.2 + 1e-10, 0.4], 1e-9))[0])
    assert np.isnan(area(margins([0.1, 0.2, 0.2, 0.4], 1e-9))[0])
    assert area(margins([0.1, 0.2, 0.1 + 1e-10, 0.4], 1e-9))[0] == 1.0  # both are negative
    assert np.isnan(area(margins([0.1, np.nan, 0.3, 0.4], 1e-9))[0])
    assert f1(margins([-0.1, 0.2, -0.3, 0.4], 1e-9))[0] == 1.0
    assert np.isnan(f1(margins([-0.1, 0.2, -1e-10, 0.4], 1e-9))[0])
    assert (
        f1(margins([-0.1, 0.2, -1e-10, 0.4], 1e-9)._replace(settled=np.array([[False, False, True, False]])))[0] == 1.0
    )
    top = BoundScore(SCORES["top_k_accuracy"], np.array([0]), np.arange(3))
    for outputs, expected in (([0.2, 0.2, 0.1], 1.0), ([0.1, 0.2, 0.1 + 1e-12], np.nan), ([0.1, 0.2, 0.3], 0.0)):
        found = top(Outputs.margins(np.array(outputs)[None, :, None], np.array([1e-9])))
        np.testing.assert_array_equal(found, [expected])


def test_equal_rows_and_saturated_outputs_tie_for_sure():
    area = BoundScore(SCORES["roc_auc"], np.array([0, 1, 0, 1]), np.arange(2))
    doubts = np.array([[0.0, 1e-12, 1e-9]])
    half = Outputs(np.array([[[0.1, 0.2, 0.2, 0.4]]]), doubts, (0.0, 1.0))
    assert np.isnan(area(half)[0])
    assert area(half._replace(rows=lambda _: np.array([[1.0], [2.0], [2.0], [3.0]])))[0] == 0.875
    assert np.isnan(area(half._replace(rows=lambda _: np.array([[1.0], [2.0], [2.5], [3.0]])))[0])
    assert area(half._replace(values=np.array([[[0.0, 0.0, 1.0, 1.0]]])))[0] == 0.5
    assert np.isnan(area(half._replace(values=np.array([[[0.0, 0.5, 1.0, 1.0 - 2.0**-53]]])))[0])


def test_a_share_of_nothing():
    truth, predicted, classes = np.array([0, 0, 0]), np.zeros((1, 3), dtype=np.int64), np.arange(2)
    assert SCORES["f1"].bind(truth, classes)(predicted)[0] == 0.0
    assert ClassScore("f1", "f1", "binary", zero_division=1.0).bind(truth, classes)(predicted)[0] == 1.0
    assert SCORES["f1_macro"].bind(truth, classes)(predicted)[0] == 1.0  # of the only class that occurs
    assert np.isnan(SCORES["cohen_kappa_score"].bind(truth, classes)(predicted)[0])
    assert BoundScore(SCORES["f1"], truth[:0], classes)(predicted[:, :0]).tolist() == [0.0]


def test_a_metric_that_fails_has_no_value():
    def fails(truth, predicted):
        raise ValueError

    score = MetricScore("fails", "labels", fails)
    assert np.isnan(score.bind(np.array([0, 1]), np.array(["a", "b"]))(np.array([[0, 1], [1, 1]]))).all()
    assert repr(SCORES["f1_macro"]) == "'f1_macro'"
    with pytest.raises(InputError, match="`score` must be scikit-learn's name of a score of labels, got 'r2'"):
        score_of("r2", "labels")


def case(criterion, kind):
    draws = np.random.default_rng(5)
    X = draws.poisson(1.0, size=(40, 7)).astype(float)
    if kind == "real":
        X += draws.normal(size=X.shape)
    X[:, 5] = 1.0
    X = np.abs(X) if isinstance(criterion, MultinomialNB) else X
    if isinstance(criterion, KNNRegression) or criterion.score in (
        "neg_mean_absolute_error",
        "d2_absolute_error_score",
    ):
        return Dataset(X, X[:, 0] + draws.normal(size=40))
    n_classes = 3 if "macro" in criterion.score or "ov" in criterion.score or "top" in criterion.score else 2
    return Dataset(X, draws.permutation(np.arange(40) % n_classes))


@pytest.mark.parametrize("kind", ["real", "counts"])
@pytest.mark.parametrize(
    "criterion",
    [
        LeastSquares(1.0, score="neg_mean_absolute_error"),
        KNN(score="matthews_corrcoef"),
        KNN(score="jaccard_macro", ties="index"),
        KNN(3, score="roc_auc_ovr", folds="loo"),
        KNN(2, score="average_precision", folds=10),
        KNNRegression(score="neg_median_absolute_error"),
        GaussianNB(score="roc_auc"),
        GaussianNB("loo", score="top_k_accuracy"),
        MultinomialNB(score="roc_auc_ovo_weighted"),
        SVM(score="average_precision"),
    ],
    ids=repr,
)
def test_every_score_keeps_the_contract(criterion, kind):
    check_criterion(criterion, case(criterion, kind), n_rounds=2)


@pytest.mark.parametrize("kind", ["real", "counts"])
@pytest.mark.parametrize(
    "criterion",
    [
        LeastSquares(1.0, score="roc_auc"),
        LeastSquares(1.0, score="f1_macro"),
        LeastSquares(score="d2_absolute_error_score"),
        GaussianNB(score="roc_auc", ties="nan"),
        GaussianNB(score="f1_macro", ties="nan", unvarying="nan"),
        MultinomialNB(score="average_precision", ties="nan"),
        MultinomialNB(score="recall_macro", ties="nan"),
    ],
    ids=repr,
)
def test_the_same_neighbours_have_no_value_from_scratch(criterion, kind):
    cursor = criterion.bind(case(criterion, kind))
    for _ in wander(cursor, 15, np.random.default_rng(6)):
        for direction, pool in neighbors(cursor):
            np.testing.assert_array_equal(cursor.peek(direction, pool), from_scratch(cursor, direction, pool))


def test_the_holdout_is_scored_too():
    data = case(KNN(score="f1_macro"), "real")
    train, test = Dataset(data.X[:30], data.target[:30]), Dataset(data.X[30:], data.target[30:])
    for score in ("f1_macro", "neg_log_loss"):
        for criterion in (KNN(3, score=score), GaussianNB(score=score), *([SVM(score=score)] if "f1" in score else [])):
            split = replace(criterion, folds=Split(range(30), range(30, 40))).bind(data)
            assert criterion.validate(train, test, [0, 1]) == pytest.approx(split.evaluate([0, 1]), rel=1e-12)
