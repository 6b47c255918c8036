"""Criteria made of others keep the law, and what they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction, run
from sweepless.criteria import FunctionCriterion, MultinomialBhattacharyya
from sweepless.criteria.bayes.gaussian import GaussianNB
from sweepless.criteria.bayes.multinomial import MultinomialNB
from sweepless.criteria.composite import Mean, Memoized, Penalized
from sweepless.criteria.filters import CFS
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion

INNER = [GaussianNB(), MultinomialNB(), CFS(bins=4)]


def counts(seed=0, n_features=9):
    draws = np.random.default_rng(seed)
    y = draws.permutation(np.arange(40) % 3)
    return Dataset(draws.poisson(1.5 + 0.5 * y[:, None], (40, n_features)), y)


def test_weights_are_added_in_order_by_every_python():
    tenths = Mean([CFS()] * 10, [0.1] * 10)  # 0.9999999999999999 in order, 1.0 by `sum` from Python 3.12 on
    assert tenths.mean([np.ones(1)] * 10).tolist() == [1.0]


@pytest.mark.parametrize("inner", INNER, ids=repr)
@pytest.mark.parametrize(
    "made",
    [
        lambda inner: Penalized(inner, 0.1),
        lambda inner: Penalized(inner, np.linspace(0.1, 1.7, 9)),
        lambda inner: Penalized(inner, [1e8, -0.1, 0, 0, 1e-9, 0.3, 0.1, 0.7, 1 / 3]),
        lambda inner: Mean([inner, GaussianNB(folds=2)], [0.3, 0.1]),
        lambda inner: Mean((inner, MultinomialNB(), CFS())),
        Memoized,
        lambda inner: Memoized(Penalized(Mean([inner]), 0.1)),
    ],
)
def test_j_is_a_function_of_the_set(made, inner):
    check_criterion(made(inner), counts(), n_rounds=1)


def test_one_feature():
    data = Dataset(np.arange(12)[:, None], np.arange(12) % 2)
    for criterion in (Penalized(GaussianNB(), [0.5]), Mean([GaussianNB()]), Memoized(GaussianNB())):
        check_criterion(criterion, data, n_rounds=2)


def test_a_penalty_is_the_sum_of_the_costs():
    data, costs = counts(), np.linspace(0.1, 1.7, 9)
    inner = GaussianNB().bind(data)
    for members in ([0], [2, 5], list(range(9))):
        value = inner.evaluate(members)
        assert Penalized(GaussianNB(), 0.1).bind(data).evaluate(members) == value - len(members) * 0.1
        assert Penalized(GaussianNB(), [0.1] * 9).bind(data).evaluate(members) == value - len(members) * 0.1
        assert Penalized(GaussianNB(), costs).bind(data).evaluate(members) == pytest.approx(
            value - costs[members].sum(), abs=1e-13
        )


def test_a_mean_is_weighted():
    data, members = counts(), [1, 4]
    first, second = GaussianNB().bind(data).evaluate(members), CFS().bind(data).evaluate(members)
    assert Mean([GaussianNB(), CFS()]).bind(data).evaluate(members) == (first + second) / 2
    assert Mean([GaussianNB(), CFS()], [3, 1]).bind(data).evaluate(members) == pytest.approx((3 * first + second) / 4)
    assert Mean([GaussianNB(), CFS()], [0, 2]).bind(data).evaluate(members) == second


def test_every_subset_is_computed_once():
    asked = []
    data = counts(n_features=5)
    cursor = Memoized(FunctionCriterion(lambda members: asked.append(tuple(members)) or float(len(members)))).bind(data)
    everything = np.arange(5)
    cursor.peek(Direction.ADD, everything)
    cursor.move(Direction.ADD, 3)
    cursor.peek(Direction.ADD, np.array([0, 1, 0]))
    cursor.jump([0])
    cursor.peek(Direction.ADD, np.array([3, 1]))
    cursor.evaluate([3, 0])
    assert asked == [(0,), (1,), (2,), (3,), (4,), (0, 3), (1, 3), (0, 1)]
    assert (cursor.n_requested, cursor.n_computed) == (11, 8)


def test_remembered_values_still_count_as_evaluations():
    data = counts()
    plain, remembered = (run("SFFS", made, data, target=5) for made in (GaussianNB(), Memoized(GaussianNB())))
    assert plain.n_evaluations == remembered.n_evaluations
    assert [step.value for step in plain.trace] == [step.value for step in remembered.trace]


def test_validation_is_that_of_the_parts():
    train, test, members = counts(1), counts(2), np.array([0, 4])
    gaussian = GaussianNB().validate(train, test, members)
    multinomial = MultinomialNB().validate(train, test, members)
    assert Penalized(GaussianNB(), 1.0).validate(train, test, members) == gaussian
    assert Memoized(GaussianNB()).validate(train, test, members) == gaussian
    both = Mean([GaussianNB(), MultinomialNB()]).validate(train, test, members)
    assert both == pytest.approx((gaussian + multinomial) / 2)


def test_composites_are_values():
    assert Penalized(GaussianNB(), [1, 2]) == Penalized(GaussianNB(), np.array([1.0, 2.0]))
    assert hash(Mean([GaussianNB()], [1])) == hash(Mean((GaussianNB(),), (1.0,)))
    assert Memoized(GaussianNB()) != Memoized(GaussianNB(folds=4))


def test_a_cheap_measure_is_passed_on():
    cursor = Memoized(MultinomialBhattacharyya()).bind(counts())
    assert len(cursor.individual("bhattacharyya")) == 9


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Penalized("knn", 1), "`criterion` must be made of criteria, got 'knn'."),
        (lambda: Penalized(GaussianNB(), np.nan), "`cost_per_feature` must hold finite numbers, got array([nan])."),
        (lambda: Penalized(GaussianNB(), [[1]]), "`cost_per_feature` must be one number or one per feature"),
        (lambda: Mean([]), "`criteria` must be a sequence of at least one criterion, got []."),
        (lambda: Mean(GaussianNB()), "`criteria` must be a sequence of at least one criterion, got GaussianNB("),
        (lambda: Mean([GaussianNB()], [1, 2]), "`weights` must hold 1 numbers that are not negative nor all zero"),
        (lambda: Mean([GaussianNB()], [-1]), "`weights` must hold 1 numbers that are not negative nor all zero"),
        (lambda: Memoized(GaussianNB), "`criterion` must be made of criteria, got <class"),
    ],
)
def test_invalid_arguments_are_refused(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)


def test_costs_must_fit_the_data():
    with pytest.raises(DataError, match="`cost_per_feature` must hold 9 costs for data, got 2"):
        Penalized(GaussianNB(), [1, 2]).bind(counts())
