"""Information criteria: equal to their formulas, functions of the set on any data, and right about where to stop."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import Dataset, Direction, SequentialSelector, run
from sweepless.criteria import InformationCriterion, RidgeCriterion, ScoreTest
from sweepless.criteria.linear import kept
from sweepless.criteria.linear.information_squares import SquaresCursor
from sweepless.criteria.registry import make_criterion
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion
from tests.reference.cases import knn_cases
from tests.reference.information import of_least_squares, of_logistic, score_statistics
from tests.reference.moves import require_peeks_by_definition, wander

CASES = knn_cases(n_features=9)
SCORES = ("aic", "bic", "ebic")


def numbers(n_samples=60, n_features=30, noise=0.3, seed=1):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n_samples, n_features)) + 0.5 * draws.normal(size=(n_samples, 1))
    return X, X[:, 2] - 2.0 * X[:, 7] + X[:, 11] + noise * draws.normal(size=n_samples)


def labels(n_samples=80, n_features=30, seed=2, n_classes=2):
    X, y = numbers(n_samples, n_features, 1.0, seed)
    return X, np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))


def regression(X, y):
    return Dataset(X, y, task="regression")


@pytest.mark.parametrize("score", SCORES)
def test_least_squares_has_the_value_of_the_formula(score):
    X, y = numbers()
    cursor, draws = InformationCriterion(score).bind(regression(X, y)), np.random.default_rng(3)
    for size in range(1, 20):
        members = np.sort(draws.choice(30, size, replace=False))
        assert cursor.evaluate(members) == pytest.approx(of_least_squares(X, y, members, score), abs=2e-8)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("alpha", [0.01, 3.0])
def test_logistic_regression_has_the_value_of_the_formula(score, alpha):
    X, codes = labels()
    cursor, draws = InformationCriterion(score, alpha).bind(Dataset(X, codes)), np.random.default_rng(4)
    for size in (1, 2, 5, 9):
        members = np.sort(draws.choice(30, size, replace=False))
        assert cursor.evaluate(members) == pytest.approx(of_logistic(X, codes, members, score, alpha), abs=2e-8)


@pytest.mark.parametrize("case", CASES)
def test_neighbours_have_the_bits_of_the_definition_for_classes(case):
    X, y = CASES[case]
    cursor = InformationCriterion().bind(Dataset(X, y))
    for step in wander(cursor, 4, np.random.default_rng(5)):
        if step % 2:
            require_peeks_by_definition(cursor)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("alpha", [None, 2.0])
def test_neighbours_have_the_bits_of_the_definition_for_numbers(case, alpha):
    X, y = CASES[case]
    codes = np.unique(y, return_inverse=True)[1]
    cursor = InformationCriterion("bic", alpha).bind(regression(X, codes + 0.1 * np.arange(len(y))))
    for _ in wander(cursor, 12, np.random.default_rng(6)):
        require_peeks_by_definition(cursor)


@pytest.mark.parametrize("noise", [1.0, 1e-3, 1e-6, 0.0])
def test_sweeps_keep_their_bits_when_little_is_left_of_the_target(noise):
    X, y = numbers(100, 60, noise)
    cursor = InformationCriterion().bind(regression(X, y))
    for feature in (7, 2, 20, 11, 40, 41):
        cursor.move(Direction.ADD, feature)
        require_peeks_by_definition(cursor)
    for _ in wander(cursor, 40, np.random.default_rng(7)):
        require_peeks_by_definition(cursor)


def test_sweeps_leave_few_neighbours_to_the_definition(monkeypatch):
    """Also where almost nothing is left, which is where logarithms magnify errors."""
    X, y = numbers(200, 300, 1e-3)
    cursor, calls = InformationCriterion().bind(regression(X, y)), []
    evaluate = SquaresCursor.evaluate
    monkeypatch.setattr(SquaresCursor, "evaluate", lambda *given: calls.append(1) or evaluate(*given))
    for feature in (7, 2, 11, *range(20, 60)):
        cursor.peek(Direction.ADD, Direction.ADD.pool(cursor.members))
        cursor.move(Direction.ADD, feature)
    cursor.peek(Direction.REMOVE, Direction.REMOVE.pool(cursor.members))
    assert len(calls) < 40  # of some 12,000


def test_nothing_is_kept_of_large_data(monkeypatch):
    X, y = numbers()
    swept, other = (InformationCriterion().bind(regression(X, y)) for _ in range(2))
    values = swept.peek(Direction.ADD, np.arange(30))
    assert swept._kept is not None
    monkeypatch.setattr(kept, "MOST_BYTES", 8 * X.size - 1)
    assert other.peek(Direction.ADD, np.arange(30)).tolist() == values.tolist()
    assert other._kept is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_contract_is_kept(n_classes):
    for X, y in (labels(n_classes=n_classes), labels(12, 20, n_classes=n_classes)):
        check_criterion(InformationCriterion(), Dataset(X, y), n_rounds=2)
    X, y = numbers(12, 20)
    check_criterion(InformationCriterion(), regression(X, y), n_rounds=3)


def test_a_perfect_fit_and_separated_classes_have_a_finite_value():
    X, y = numbers(noise=0.0)
    cursor = InformationCriterion("aic").bind(regression(X, y))
    assert 13.0 < cursor.evaluate([2, 7, 11]) <= 20.0 * np.log(2.0)
    signs = np.sign(X[:, 2])
    assert np.isfinite(InformationCriterion("aic").bind(Dataset(X, signs)).evaluate([2, 7, 11]))


@pytest.mark.parametrize("method", ["SFS", "SFFS", "sSFFS"])
def test_the_extended_criterion_stops_at_the_features_that_matter(method):
    draws = np.random.default_rng(8)
    X = draws.normal(size=(200, 1000))
    signal = 3.0 * X[:, [5, 50, 500]].sum(axis=1)
    for y, task in (
        (signal + draws.normal(size=200), "regression"),
        (signal + draws.normal(size=200) > 0.0, "classification"),
    ):
        if method == "SFFS" and task == "classification":
            continue  # full sweeps of a thousand logistic regressions
        size = 4 if method == "SFS" and task == "classification" else 10
        result = run(method, InformationCriterion(), Dataset(X, y, task=task), target=size, overshoot=0)
        best = max(result.archive.values(), key=lambda record: record.value)
        assert best.features.tolist() == [5, 50, 500]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_score_tests_are_those_of_the_formula(n_classes):
    X, codes = labels(n_classes=n_classes)
    cursor = ScoreTest(0.5).bind(Dataset(X, codes))
    for members in ([], [7], [2, 7, 20]):
        cursor.jump(np.array(members, dtype=int))
        pool = Direction.ADD.pool(cursor.members)
        expected = score_statistics(X, codes, members, 0.5)[pool]
        assert cursor.peek(Direction.ADD, pool) == pytest.approx(expected, rel=1e-3)
        few = ScoreTest(0.5).bind(Dataset(X, codes))  # which keeps no columns
        few.jump(np.array(members, dtype=int))
        assert few.peek(Direction.ADD, pool[:2]).tolist() == cursor.peek(Direction.ADD, pool[:2]).tolist()


def test_members_are_screened_by_what_they_seem_to_be_worth():
    X, codes = labels(200)
    members = np.array([2, 7, 11, 20, 21])
    screen, judge = (criterion.bind(Dataset(X, codes)) for criterion in (ScoreTest(), InformationCriterion("aic")))
    for cursor in (screen, judge):
        cursor.jump(members)
    guessed, values = screen.peek(Direction.REMOVE, members), judge.peek(Direction.REMOVE, members)
    assert np.argsort(guessed).tolist() == np.argsort(values).tolist()


def test_sampled_searches_by_name_are_screened():
    X, codes = labels(100, 400)
    data = Dataset(X, codes)
    result = run("sSFS", InformationCriterion(), data, target=3)
    assert result.n_evaluations == 3 * 20
    assert result.anatomy.filter == 400 + 399 + 398
    unscreened = run("sSFS", InformationCriterion(), data, target=3, screen=None, budget=30)
    assert unscreened.anatomy.filter == 0
    assert run("SFS", InformationCriterion(), data, target=2).anatomy.filter == 0
    assert run("sSFS", InformationCriterion(), data, target=2, rng="reference", budget=5).anatomy.filter == 0
    assert run("sSFS", InformationCriterion(), regression(X, X[:, 0] + codes), target=2).anatomy.filter == 0


def test_selectors_are_screened_too():
    X, codes = labels(100, 200)
    selector = SequentialSelector(InformationCriterion(), method="sSFS", n_features_to_select=3, overshoot=0).fit(
        X, codes
    )
    assert (selector.anatomy_.forward, selector.anatomy_.filter) == (3 * 20, 200 + 199 + 198)


def test_validation_is_by_the_model():
    X, y = numbers(120)
    train, test = regression(X[:60], y[:60]), regression(X[60:], y[60:])
    members = [2, 7, 11]
    found = InformationCriterion().validate(train, test, members)
    assert found == RidgeCriterion(0.0).validate(train, test, members) > 0.9
    X, codes = labels(200)
    assert InformationCriterion().validate(Dataset(X[:100], codes[:100]), Dataset(X[100:], codes[100:]), members) > 0.8


def test_wrong_settings_are_refused():
    with pytest.raises(InputError, match="`score` must be one of"):
        InformationCriterion("mdl")
    with pytest.raises(InputError, match="`alpha`"):
        InformationCriterion(alpha=-1.0)
    with pytest.raises(InputError, match="`alpha` must be a positive number"):
        InformationCriterion(alpha=0.0).bind(Dataset(*labels()))
    with pytest.raises(InputError, match="`alpha`"):
        ScoreTest(0.0)
    X, _ = numbers()
    with pytest.raises(DataError, match="must vary"):
        InformationCriterion().bind(regression(X, np.ones(60)))
    assert make_criterion("information", {"score": "bic"}) == InformationCriterion("bic")
