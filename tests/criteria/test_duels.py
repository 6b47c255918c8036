"""Votes of a few neighbors among two classes, by duels of the nearest samples of either, which are the definition's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import zero_one_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from sweepless import Dataset, Direction
from sweepless.criteria import KNN
from sweepless.criteria.neighbors import counted
from sweepless.criteria.neighbors.ballots import OwnVotes
from sweepless.criteria.scores.base import BoundScore, Outputs, Shares
from sweepless.criteria.scores.metric import MetricScore
from sweepless.criteria.scores.names import score_of
from sweepless.kernels.neighbors.definition import points
from sweepless.kernels.neighbors.duels import MOST_NEIGHBORS, points_for
from tests.criteria.test_whole_numbers import labels, numbers
from tests.reference.knn import knn_value
from tests.reference.moves import require_peeks_by_definition

KINDS = ["narrow", "wide", "tenths", "a constant feature", "equal samples", "few values", "too wide"]
CRITERIA = [
    *(KNN(k, ties=ties) for k in (2, 3, 4, 5) for ties in ("class", "index")),
    KNN(5, metric="manhattan"),
    KNN(4, folds="loo"),
    KNN(3, ties="index", memory_limit=0),
    KNN(5, n_jobs=2),
    KNN(4, score="brier"),
    KNN(5, score="log_loss"),
    KNN(4, score="roc_auc"),
    KNN(2, score="f1_macro"),
    KNN(3, score="average_precision", metric="manhattan"),
    KNN(4, score=MetricScore("zero_one_loss", "labels", zero_one_loss, sign=-1)),
]


@pytest.mark.filterwarnings("ignore:the distances of")
@pytest.mark.parametrize("kind", KINDS)
def test_every_value_is_that_of_the_definition(kind):
    data = Dataset(numbers(kind), labels(2))
    for criterion in CRITERIA:
        cursor = criterion.bind(data)
        for feature in (2, 5, 0, 3):
            cursor.move(Direction.ADD, feature)
            require_peeks_by_definition(cursor)
        cursor.move(Direction.REMOVE, 5)
        require_peeks_by_definition(cursor)


@pytest.mark.parametrize("n_neighbors", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("score", ["accuracy", "brier", "log_loss"])
def test_votes_are_those_of_a_plain_sort(n_neighbors, score):
    X, y = numbers("narrow"), labels(2)
    cursor = KNN(n_neighbors, score=score).bind(Dataset(X, y))
    cursor.jump([1, 4])
    plain = [knn_value(X, y.tolist(), [1, 4, k], n_neighbors=n_neighbors, score=score) for k in (0, 6)]
    np.testing.assert_allclose(cursor.peek(Direction.ADD, [0, 6]), plain, atol=2.0**-32)


@pytest.mark.parametrize("n_neighbors", [2, 5, 9])
@pytest.mark.parametrize(
    "score", ["balanced_accuracy", "roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"]
)
def test_scores_are_those_of_scikit_learn(n_neighbors, score):
    # With nine neighbors a number holds the digits of 63 samples, so that those of a class and fold take several.
    X, y = np.random.default_rng(1).normal(size=(400, 6)), labels(2)[np.arange(400) % 240]
    splits = StratifiedKFold(2)
    folds = np.empty(400, dtype=np.int64)
    for k, (_, tested) in enumerate(splits.split(X, y)):
        folds[tested] = k
    cursor = KNN(n_neighbors, folds=folds, ties="index", score=score).bind(Dataset(X, y))
    cursor.jump([1, 3])
    theirs = cross_val_score(KNeighborsClassifier(n_neighbors), X[:, [1, 3, 4]], y, cv=splits, scoring=score)
    np.testing.assert_allclose(cursor.peek(Direction.ADD, [4]), [theirs.mean()], rtol=1e-12)


@pytest.mark.parametrize("n_neighbors", [1, 4, 5])
@pytest.mark.parametrize(
    "name", ["roc_auc", "average_precision", "neg_log_loss", "d2_log_loss_score", "neg_brier_score"]
)
def test_numbers_of_samples_are_scored_as_their_shares(n_neighbors, name):
    draws = np.random.default_rng(2)
    truth = draws.permutation(np.arange(50) % 2)
    votes = draws.integers(0, n_neighbors + 1, size=(7, 50))  # for the second class
    shares = np.stack([n_neighbors - votes, votes], axis=1) / n_neighbors
    own = np.where(truth == 1, votes, n_neighbors - votes)
    counts = (own[:, None, :] == np.arange(n_neighbors + 1)[:, None])[:, None] & (truth == np.arange(2)[:, None])[
        :, None
    ]
    bound = BoundScore(score_of(name, "outputs", "probabilities"), truth, np.arange(2))
    expected = bound(Outputs.counted(shares, n_neighbors))
    np.testing.assert_allclose(bound(Shares(counts.sum(axis=3))), expected, rtol=1e-13)


def test_points_are_those_of_the_definition():
    draws, worth = np.random.default_rng(3), getattr(points, "py_func", points)
    for n_rows in (2, 3):
        gains = draws.integers(-9, 9, size=(n_rows, 5))
        found = points_for(gains, 4)
        assert found[:, 0].tolist() == [0, 0]
        for label in range(2):
            for votes in range(5):
                ballot = np.array([votes, 4 - votes] if label == 0 else [4 - votes, votes])
                assert found[label, 1 + votes] == worth(0, label, ballot, gains)


@pytest.mark.parametrize("score", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("n_neighbors", [2, MOST_NEIGHBORS])
def test_lists_settle_whole_numbers_and_few_ties(n_neighbors, score, monkeypatch):
    called = []
    monkeypatch.setattr(counted, "count_correct", lambda *arguments: called.append(arguments))
    monkeypatch.setattr(counted, "settle_votes", lambda *arguments: called.append(arguments))
    for X in (numbers("wide"), numbers("wide") / 10):
        cursor = KNN(n_neighbors, score=score).bind(Dataset(X, labels(2)))
        for direction, members in ((Direction.ADD, [0, 1, 2]), (Direction.REMOVE, [0, 1, 2, 3])):
            cursor.jump(members)
            cursor.peek(direction, direction.pool(cursor.members))
    assert not called


def test_votes_are_counted_in_digits_where_there_is_room():
    assert OwnVotes.suffice(score_of("roc_auc", "outputs"), 9, 2)
    assert not OwnVotes.suffice(score_of("roc_auc", "outputs"), 10, 2)
    assert not OwnVotes.suffice(score_of("neg_log_loss", "probabilities"), 5, 3)
