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
from sweepless.criteria.scores.outputs import ManyRankScore
from sweepless.errors import InputError
from sweepless.kernels.bayes.probabilities import fill_probabilities
from sweepless.kernels.neighbors.ballots import fill_shares
from sweepless.kernels.ranks import count_levels, count_ranks, rank_levels
from sweepless.kernels.scores import (
    confusion_tables,
    count_top,
    elect,
    row_sums,
    squared_logarithms,
    sum_log_losses,
    sum_squared_losses,
    sum_squares,
)
from sweepless.testing import check_criterion
from tests.reference import scores as reference
from tests.reference.moves import from_scratch, neighbors, wander

NEVER = np.array([[-1.0, 0.0, 0.0]])
NO_ROWS = np.empty((0, 0))
ONE_CONTEST = np.array([[0, 1]])


def drawn(kind, n_candidates, n_outputs, n_samples, seed=0):
    """Outputs without ties, with many ties, or all equal."""
    draws = np.random.default_rng(seed)
    outputs = draws.normal(size=(n_candidates, n_outputs, n_samples))
    return {"apart": outputs, "tied": np.round(outputs), "equal": np.zeros_like(outputs)}[kind]


def ranked(positives, negatives, doubts, low, high, rows=NO_ROWS):
    """Return areas and precisions of candidates whose outputs are ascending on both sides."""
    sides = np.concatenate([positives, negatives], axis=1)[:, None]
    bounds = np.cumsum([0, positives.shape[1], negatives.shape[1]])
    areas, precisions = np.empty((2, 1, len(sides)))
    count_ranks(sides, bounds, ONE_CONTEST, doubts, low, high, rows, areas, precisions)
    return areas[0], precisions[0]


@pytest.mark.parametrize("kind", ["apart", "tied", "equal"])
@pytest.mark.parametrize("n_positive", [1, 7, 19])
def test_ranks_by_definition(kind, n_positive):
    outputs = drawn(kind, 5, 1, 20)[:, 0]
    is_positive = np.random.default_rng(1).permutation(np.arange(20) < n_positive)
    sides = np.sort(outputs[:, is_positive]), np.sort(outputs[:, ~is_positive])
    areas, precisions = ranked(*sides, np.repeat(NEVER, 5, axis=0), np.inf, -np.inf)
    np.testing.assert_allclose(areas, [reference.area(row, is_positive) for row in outputs], rtol=1e-14)
    np.testing.assert_allclose(precisions, [reference.average_precision(row, is_positive) for row in outputs], 1e-14)


@pytest.mark.parametrize(
    ("negative", "gap", "rows", "is_told"),
    [
        (3.0, 1e-13, NO_ROWS, False),
        (3.0, 1e-9, NO_ROWS, True),
        (1.0, 1e-13, NO_ROWS, True),  # below them: whether they are equal makes no difference
        (3.0, 0.0, NO_ROWS, False),
        (3.0, 0.0, np.array([[2.0, 5.0], [2.0, 5.0], [3.0, 1.0]]), True),
        (3.0, 0.0, np.array([[2.0, 5.0], [2.0, 6.0], [3.0, 1.0]]), False),
    ],
)
def test_a_precision_hangs_on_whether_positives_are_equal(negative, gap, rows, is_told):
    sides = np.array([[0.0, 2.0, 2.0 + gap]]), np.array([[negative]])
    (area,), (precision,) = ranked(*sides, np.array([[1e-12, 0.0, 0.0]]), -np.inf, np.inf, rows)
    assert area == (1.0 / 3.0 * 2.0 if negative == 1.0 else 0.0)
    assert (precision > 0.0) == is_told


def by_definition(outputs, truth, name):
    """Areas of pairs or of each class against the rest, or average precisions: their mean over all contests."""
    n_classes = len(outputs)
    if name == "roc_auc_ovo":
        sides = [(c, other) for c in range(n_classes) for other in range(n_classes) if c != other]
        among = [(c, np.isin(truth, [c, other])) for c, other in sides]
        return np.mean([reference.area(outputs[c][some], truth[some] == c) for c, some in among])
    measure = reference.average_precision if name == "average_precision" else reference.area
    return np.mean([measure(outputs[c], truth == c) for c in range(n_classes)])


@pytest.mark.parametrize(
    "kind", ["apart", "tied", "equal", "signed zeros", "next doubles", "tiny", "repeated", "large"]
)
@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo", "average_precision"])
@pytest.mark.parametrize("n_classes", [3, 4, 5])
def test_ranks_of_several_classes_by_definition(kind, name, n_classes):
    draws = np.random.default_rng(n_classes)
    outputs = drawn("apart", 6, n_classes, 41)
    truth = draws.permutation(np.arange(41) % n_classes)
    steps = draws.permutation(41)
    outputs = {
        "tied": np.round(outputs),
        "equal": np.zeros_like(outputs),
        "signed zeros": np.where(outputs > 0.0, 0.0, np.where(outputs > -1.0, -0.0, outputs)),
        "next doubles": (1.0 + 2.0**-52 * steps) * np.ones_like(outputs),
        "tiny": 5e-324 * steps * np.ones_like(outputs),
        "repeated": outputs[:, :, truth * 3],  # equal within classes only
        "large": outputs * 1e150,
    }.get(kind, outputs)
    score = ManyRankScore(name, "precision", "macro") if name == "average_precision" else SCORES[name]
    found = BoundScore(score, truth, np.arange(n_classes))(Outputs.counted(outputs))
    np.testing.assert_allclose(found, [by_definition(each, truth, name) for each in outputs], rtol=1e-14)


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo"])
def test_outputs_of_several_classes_that_are_too_close_have_no_rank(name):
    draws = np.random.default_rng(0)
    truth = draws.permutation(np.arange(30) % 3)
    outputs = np.tile(draws.permutation(30.0 * np.arange(30) % 31), (4, 3, 1))
    one, two = np.flatnonzero(truth == 0)[0], np.flatnonzero(truth == 1)[0]
    outputs[1, 2, one] = outputs[1, 2, two] + 0.01  # none of them is of the class whose outputs these are
    outputs[2, 0, one] = outputs[2, 0, two] + 0.01
    outputs[3, 0, one] = np.nan
    values = BoundScore(SCORES[name], truth, np.arange(3))(Outputs.margins(outputs, np.full(4, 0.02)))
    assert np.isfinite(values).tolist() == [True, True, False, False]
    assert values[1] == pytest.approx(by_definition(outputs[1], truth, name))


@pytest.mark.parametrize("n_votes", [1, 2, 5])
def test_shares_of_votes_rank_as_any_outputs_do(n_votes):
    draws = np.random.default_rng(n_votes)
    truth = draws.permutation(np.arange(30) % 3)
    votes = draws.multinomial(n_votes, [0.2, 0.3, 0.5], size=(4, 30)).transpose(0, 2, 1)
    table = np.zeros((4, 3, 3, n_votes + 1), dtype=np.int64)
    count_levels(votes / n_votes, truth, n_votes, table)
    contests = np.array([[0, 1, 2], [2, 0, 1]])
    areas, precisions = np.empty((2, 2, 4))
    rank_levels(table, contests, areas, precisions)
    for k, code in enumerate((0, 2)):
        outputs, is_positive = votes[:, code], truth == code
        np.testing.assert_allclose(areas[k], [reference.area(row, is_positive) for row in outputs], rtol=1e-14)
        found = [reference.average_precision(row, is_positive) for row in outputs]
        np.testing.assert_allclose(precisions[k], found, rtol=1e-14)
    for name in ("roc_auc_ovr_weighted", "roc_auc_ovo", "average_precision_weighted"):
        score = SCORES.get(name, ManyRankScore(name, "precision", "weighted"))
        bound = BoundScore(score, truth, np.arange(3))
        sorted_out = bound(Outputs.counted(votes / n_votes))
        assert bound(Outputs.counted(votes / n_votes, n_votes)).tolist() == sorted_out.tolist()


@pytest.mark.parametrize(("n_neighbors", "n_classes"), [(2, 3), (7, 40)])
def test_ballots_by_definition(n_neighbors, n_classes):
    draws = np.random.default_rng(0)
    votes = draws.multinomial(n_neighbors, np.full(n_classes, 1.0 / n_classes), size=(5, 20)).transpose(0, 2, 1)
    n_bits = n_neighbors.bit_length()
    n_digits = 31 // n_bits
    places = np.arange(n_classes)
    words = votes << (n_bits * (places % n_digits))[:, None]
    rounds = [words[:, places // n_digits == k].sum(axis=1) for k in range(1 + (n_classes - 1) // n_digits)]
    counts, rows = np.stack(rounds), np.array([3, 0, 17])
    shares = np.empty((5, n_classes, 3))
    fill_shares(counts, rows, n_bits, n_digits, np.arange(n_neighbors + 1) / n_neighbors, shares)
    assert shares.tolist() == (votes / n_neighbors)[:, :, rows].tolist()


def test_one_sample_of_each_class_at_every_output():
    outputs, is_positive = np.repeat(np.arange(5.0), 2)[None], np.arange(10) % 2 == 0
    areas, precisions = ranked(outputs[:, is_positive], outputs[:, ~is_positive], NEVER, np.inf, -np.inf)
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
        ([0.3, np.nan], [0.1, 0.4], False),
        ([0.3, 0.5], [0.1, np.nan], False),
        ([0.3, 0.5], [0.3, 0.49], False),
    ],
)
def test_ranks_that_rounding_might_change_are_not_known(positives, negatives, is_known):
    sides = np.array([positives]), np.array([negatives])
    areas, precisions = ranked(*sides, np.array([[0.02, 0.0, 0.0]]), 0.0, 1.0)
    assert np.isfinite(areas[0]) == np.isfinite(precisions[0]) == is_known
    if is_known:
        outputs, is_positive = np.concatenate(sides, axis=1)[0], np.arange(4) < 2
        assert areas[0] == reference.area(outputs, is_positive)


def test_of_equal_outputs_rows_have_to_say_more():
    sides = np.array([[0.3, 0.5]]), np.array([[0.1, 0.3]])
    doubts = np.array([[0.02, 0.0, 0.0]]), 0.0, 1.0
    rows = np.array([[0.3, 3.0, 1.0], [0.5, 7.0, 7.0], [0.3, 3.0, 1.0], [0.1, 0.0, 0.0]])
    assert ranked(*sides, *doubts)[0][0] == -1.0
    assert ranked(*sides, *doubts, rows)[0][0] == 0.875
    rows[0, 1] = 2.0
    assert ranked(*sides, *doubts, rows)[0][0] == -1.0


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
    for n_rows in (1, 3, 5):  # four at a time
        actual, predicted, sums = (
            np.random.default_rng(n_rows).normal(size=40),
            np.resize(rows, (n_rows, 40)),
            np.empty(n_rows),
        )
        sum_squares(actual, predicted, sums)
        assert sums.tolist() == [reduce(add, ((actual - row) ** 2).tolist()) for row in predicted]
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
        KNN(score="roc_auc_ovo_weighted", metric="manhattan"),
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
