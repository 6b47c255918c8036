"""Units of features obey the law of all criteria."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless import make_madelon, run
from sweepless.criteria import KNN, FunctionCriterion, Units
from sweepless.criteria.composite import Mean, Memoized, Penalized
from sweepless.criteria.fallback import Fallback
from sweepless.errors import DataError, InputError
from sweepless.testing import check_criterion

DATA = make_madelon(n_samples=60, n_features=14, n_redundant=3, seed=1)
UNITS = [[0], [1, 5], [2, 3, 4], [6], [7], [8, 9, 10, 11]]


@pytest.mark.parametrize("criterion", [KNN(), FunctionCriterion(lambda members: float(np.sum(members**2)))])
def test_peek_agrees_with_evaluate(criterion):
    units = Units(criterion, UNITS, fixed=[12])
    cursor, inner = units.bind(DATA), criterion.bind(DATA)
    assert cursor.n_features == units.n_features(DATA) == 6
    for members in ([0], [1], [2, 5], [0, 1, 2, 3, 4, 5]):
        features = sorted(feature for unit in members for feature in UNITS[unit]) + [12]
        assert cursor.evaluate(np.array(members)) == inner.evaluate(np.sort(features))


@pytest.mark.parametrize("fixed", [(), (12, 13)])
def test_a_unit_is_a_feature_to_the_law(fixed):
    check_criterion(Units(KNN(), UNITS, fixed), DATA)


@pytest.mark.parametrize(
    "made",
    [
        Memoized,
        lambda units: Penalized(units, 0.1),
        lambda units: Penalized(units, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
        lambda units: Mean([units, Units(KNN(n_neighbors=3), UNITS)]),
        lambda units: Fallback(units, units),
        lambda units: Units(units, [[0, 2], [1], [4]], fixed=[5]),
        lambda units: Memoized(Penalized(Mean([units]), 0.1)),
    ],
)
def test_what_is_made_of_units_has_as_many_features(made):
    criterion = made(Units(KNN(), UNITS, fixed=[12]))
    check_criterion(criterion, DATA, n_rounds=3)
    result = run("sSFFS", criterion, DATA, budget=3)
    assert result.n_features == criterion.n_features(DATA) == max(result.archive)


def test_costs_are_per_unit_and_means_are_over_the_same_units():
    with pytest.raises(DataError, match="must hold 6 costs"):
        Penalized(Units(KNN(), UNITS), [0.1] * 14).bind(DATA)
    with pytest.raises(DataError, match=r"equally many features, got \[6, 14\]"):
        Mean([Units(KNN(), UNITS), KNN()]).bind(DATA)


def test_a_search_does_not_know():
    result = run("SFFS", Units(KNN(), UNITS, [12]), DATA)
    assert result.n_features == 6 and max(result.archive) == 6 and result.feature_names is None
    plain = run("SFFS", KNN(), DATA)
    assert run("SFFS", Units(KNN(), [[k] for k in range(14)]), DATA).trajectory() == plain.trajectory()


def test_what_are_no_units():
    for units, fixed in (([], ()), ([[]], ()), ([[0], [0]], ()), ([[0]], (0,)), ([[-1]], ())):
        with pytest.raises(InputError, match="at most once"):
            Units(KNN(), units, fixed)
    with pytest.raises(DataError, match="got 14"):
        Units(KNN(), [[14]]).bind(DATA)
