"""The shipped contract checks pass what is right and name the law that is broken."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from sweepless import Dataset, Direction
from sweepless.criteria import KNN, Criterion, Cursor, EstimatorCriterion, FunctionCriterion, MultinomialBhattacharyya
from sweepless.engine.folds import FastFold
from sweepless.search import ContrastStatistics, Frozen, RawContrastStatistics, RawMeanStatistics, SoftmaxProposal
from sweepless.search.step import Batch
from sweepless.testing import check_criterion, check_proposal, check_statistics
from tests.reference.cases import knn_cases


@pytest.fixture(scope="module")
def counts():
    draws = np.random.default_rng(0)
    y = draws.permutation(np.arange(40) % 3)
    return Dataset(draws.poisson(1.5 + 0.5 * y[:, None], (40, 9)), y)


# What is right passes


@pytest.mark.parametrize(
    "criterion",
    [
        KNN(),
        KNN(folds=10, ties="index"),
        KNN(n_neighbors=3),
        KNN(n_neighbors=2, folds=9, ties="index"),
        MultinomialBhattacharyya(),
        MultinomialBhattacharyya("training"),
        FunctionCriterion(lambda members: float(np.sqrt(members + 1.0).sum())),
    ],
    ids=repr,
)
def test_every_criterion_keeps_the_contract(criterion, counts):
    check_criterion(criterion, counts)


def test_an_estimator_keeps_the_contract(counts):
    check_criterion(EstimatorCriterion(GaussianNB()), counts, n_rounds=1)


@pytest.mark.parametrize("name", ["one feature", "two features", "mixed scales", "huge but one", "binary", "tiny"])
def test_degenerate_data_keep_the_contract(name):
    check_criterion(KNN(), Dataset(*knn_cases()[name]), n_rounds=10)


@pytest.mark.parametrize(
    "statistics",
    [
        ContrastStatistics(),
        ContrastStatistics(1),
        ContrastStatistics(5),
        RawContrastStatistics(),
        RawMeanStatistics(20),
        Frozen(),
        Frozen(RawMeanStatistics()),
    ],
    ids=repr,
)
def test_all_statistics_keep_the_contract(statistics):
    check_statistics(statistics)


# What is broken is caught


class Sum(Cursor):
    """The sum of awkward numbers: right as long as `_peek` is the definition."""

    def __init__(self, data):
        super().__init__(data)
        self.parts = 10.0 ** np.arange(data.n_features) / 3.0

    def evaluate(self, members):
        return float(sum(self.parts[np.sort(members)].tolist()))


class RunningSum(Sum):
    """Keeps a running sum of floats, which remembers the path."""

    running = 0.0

    def _step(self, direction, feature):
        self.running += direction.sign * self.parts[feature]

    def _rebuild(self):
        self.running = self.evaluate(np.flatnonzero(self.members))

    def _peek(self, direction, candidates):
        return self.running + direction.sign * self.parts[candidates]


class RoundedPeek(Sum):
    def _peek(self, direction, candidates):
        return super()._peek(direction, candidates).astype(np.float32).astype(np.float64)


class RoundedMany(Sum):
    def evaluate_many(self, subsets):
        return super().evaluate_many(subsets).astype(np.float32).astype(np.float64)


class MovingPeek(Sum):
    def peek(self, direction, candidates):
        values = super().peek(direction, candidates)
        self.move(direction, candidates[0])
        return values


class RankingPeek(Sum):
    """Right for the first of a batch only."""

    def _peek(self, direction, candidates):
        return super()._peek(direction, candidates) * np.where(np.arange(len(candidates)) == 0, 1.0, 1.0 + 1e-15)


class ForgetfulJump(Sum):
    """Follows single steps, but not jumps."""

    def __init__(self, data):
        super().__init__(data)
        self.shown = np.zeros(data.n_features, dtype=bool)

    def _step(self, direction, feature):
        self.shown[feature] = direction.adds

    def _peek(self, direction, candidates):
        return np.array([self.evaluate(np.flatnonzero(direction.applied(self.shown, f))) for f in candidates])


class Drifting(Sum):
    calls = 0

    def evaluate(self, members):
        self.calls += 1
        return super().evaluate(members) + self.calls


class Undefined(Sum):
    def evaluate(self, members):
        return float("nan")


class NotAFloat(Sum):
    def evaluate(self, members):
        return np.array([super().evaluate(members)])


class Personal(Sum):
    """Every cursor has a J of its own."""

    born = 0

    def __init__(self, data):
        super().__init__(data)
        Personal.born += 1
        self.parts = self.parts + Personal.born


class Threaded(Sum):
    """Has other values where it is not alone."""

    def _peek(self, direction, candidates):
        alone = threading.current_thread() is threading.main_thread()
        return super()._peek(direction, candidates) + (0.0 if alone else 1.0)


@dataclass(frozen=True)
class Given(Criterion):
    cursor: type

    def bind(self, data):
        return self.cursor(data)


class RebuildOnly(Sum):
    """Defines no `_step`: single steps must then be followed from scratch."""

    kept = ()

    def _rebuild(self):
        self.kept = tuple(np.flatnonzero(self.members))

    def _peek(self, direction, candidates):
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.kept)] = True
        return np.array([self.evaluate(np.flatnonzero(direction.applied(mask, f))) for f in candidates])


@pytest.mark.parametrize("cursor", [Sum, RebuildOnly])
def test_a_plain_cursor_of_ones_own_keeps_the_contract(cursor, counts):
    check_criterion(Given(cursor), counts)


@pytest.mark.parametrize(
    ("cursor", "law"),
    [
        (RunningSum, "`peek` must (equal `evaluate` bit for bit|not depend on the path)"),
        (RoundedPeek, "`peek` must equal `evaluate` bit for bit"),
        (RoundedMany, "`evaluate_many` must equal `evaluate` bit for bit"),
        (MovingPeek, "`peek` must leave the cursor at"),
        (RankingPeek, "`peek` must (equal `evaluate` bit for bit|not depend on the)"),
        (ForgetfulJump, "`peek` must equal `evaluate` bit for bit"),
        (Drifting, "`evaluate` must be deterministic"),
        (Undefined, "`evaluate` must return a finite number, got nan"),
        (NotAFloat, "`evaluate` must return a float, got ndarray"),
        (Personal, "`peek` must not depend on the path to the subset, nor on the cursor"),
        (Threaded, "`peek` must not depend on what a cursor in another thread does"),
    ],
)
def test_a_broken_criterion_is_caught_by_name(cursor, law, counts):
    with pytest.raises(AssertionError, match=law):
        check_criterion(Given(cursor), counts)


def test_a_criterion_that_miscounts_its_features_is_caught(counts):
    class Miscounting(Given):
        def n_features(self, data):
            return data.n_features - 1

    with pytest.raises(AssertionError, match="as many features as its criterion says, got 9 for 8"):
        check_criterion(Miscounting(Sum), counts)


def test_a_criterion_that_shares_cursors_is_caught(counts):
    only = Sum(counts)
    with pytest.raises(AssertionError, match="`bind` must return a cursor of its own"):
        check_criterion(Given(lambda data: only), counts)


class TooFew(SoftmaxProposal):
    def __call__(self, pool, budget, rng):
        return super().__call__(pool, budget, rng)[: max(1, budget - 1)]


class Repeating(SoftmaxProposal):
    def __call__(self, pool, budget, rng):
        return np.repeat(pool.features[:1], budget)


class Foreign(SoftmaxProposal):
    def __call__(self, pool, budget, rng):
        return np.arange(budget) + 1000


class Moody(SoftmaxProposal):
    def __call__(self, pool, budget, rng):
        return np.random.default_rng().permutation(pool.features)[:budget]


class Spoiling(SoftmaxProposal):
    def __call__(self, pool, budget, rng):
        found = super().__call__(pool, budget, rng)
        pool.scores[0] += 1.0
        return found


class RepeatingPairs(SoftmaxProposal):
    def tuples(self, pool, budget, tuple_size, rng):
        return np.repeat(pool.features[None, :tuple_size], budget, axis=0)


@pytest.mark.parametrize(
    ("proposal", "law"),
    [
        (TooFew(), "exactly as many features as the budget says"),
        (Repeating(), "proposed features must be distinct"),
        (Foreign(), "proposed features must come from the pool"),
        (Moody(), "the same seed must give the same proposal"),
        (Spoiling(), "must not change the pool"),
        (RepeatingPairs(), "proposed features must be distinct"),
    ],
)
def test_a_broken_proposal_is_caught_by_name(proposal, law):
    with pytest.raises(AssertionError, match=law):
        check_proposal(proposal)


class OnlyWith(ContrastStatistics):
    def learn(self, batch):
        before = self.count_without.copy()
        super().learn(batch)
        self.count_without[:] = before


class Sharing(ContrastStatistics):
    def fresh(self, n_features, fold):
        if len(self.count_with) == 0:
            self.count_with = np.zeros(n_features, dtype=fold.count_type)
        found = super().fresh(n_features, fold)
        found.count_with = self.count_with
        return found


class Infinite(ContrastStatistics):
    @property
    def scores(self):
        return np.where(self.count_with > 3, np.inf, 0.0)


class Secretive(ContrastStatistics):
    """Learns without counting."""

    def learn(self, batch):
        if self.count_with.any():
            self.scores[:] += 1.0
        else:
            super().learn(batch)


class Overwriting(ContrastStatistics):
    def learn(self, batch):
        super().learn(batch)
        batch.values[:] = 0.0


class Inaccurate(ContrastStatistics):
    def learn(self, batch):
        super().learn(batch)
        if isinstance(self.fold, FastFold):
            self.mean_with += 1e-6


@pytest.mark.parametrize(
    ("statistics", "law"),
    [
        (OnlyWith(), "every entry must count once for every feature"),
        (Sharing(), "fresh statistics must have seen nothing"),
        (Infinite(), "scores must be finite"),
        (Secretive(), "must not change their scores"),
        (Overwriting(), "must not change the batch"),
        (Inaccurate(), "folding fast and folding entry by entry"),
    ],
)
def test_broken_statistics_are_caught_by_name(statistics, law):
    with pytest.raises(AssertionError, match=law):
        check_statistics(statistics)


def test_frozen_statistics_learn_from_the_warm_up_only():
    frozen = Frozen().fresh(4, FastFold())
    nothing = np.zeros(4, dtype=bool)
    batch = Batch(Direction.ADD, nothing, np.array([[0], [1]]), np.array([1.0, 2.0]))
    frozen.warm_up(batch)
    scores, count = frozen.scores.copy(), frozen.count_with.copy()
    frozen.learn(batch)
    assert frozen.scores.tolist() == scores.tolist() == [-2.0, 2.0, 0.0, 0.0]
    assert frozen.count_with.tolist() == count.tolist() == [1, 1, 0, 0]
