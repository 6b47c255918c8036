"""One order of all samples ranks as the definition does, and leaves open what is too near to be told."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from sweepless.criteria.scores.base import Outputs
from sweepless.criteria.scores.ranks import _FEW, Ranking
from sweepless.kernels.orders import OPEN
from tests.reference import scores as reference

NEVER = np.array([-1.0, 0.0, 0.0])
REFERENCES = {"area": reference.area, "precision": reference.average_precision}


def every(n_classes):
    """Every class against the rest, and against every other one, where the truth has a class in no contest, too."""
    rest = [[code, *(other for other in range(n_classes) if other != code)] for code in range(n_classes)]
    return [np.array(rest), np.array(list(permutations(range(n_classes), 2))), np.array([[1, 0]])]


def outputs_of(kind, n_classes, n_samples, doubts, seed=0):
    draws = np.random.default_rng(seed)
    values = draws.random((6, n_classes, n_samples))
    if kind == "margins":
        values = draws.normal(size=values.shape) * 10.0 ** draws.integers(-200, 200, values.shape)
    elif kind == "saturated":
        values[draws.random(values.shape) < 0.3] = 1.0
        values[draws.random(values.shape) < 0.3] = 0.0
    elif kind == "signed zeros":
        values[:] = np.where(values < 0.5, 0.0, -0.0)
    elif kind == "tied":
        values = np.round(values, 1)
    elif kind == "no numbers":
        values[:, :, ::3] = np.nan
    elif kind == "infinite":
        values = np.where(values < 0.3, np.inf, np.where(values > 0.8, -np.inf, values))
    return Outputs(values, np.repeat(np.asarray(doubts)[None], 6, axis=0), (0.0, 1.0))


@pytest.mark.parametrize("measure", ["area", "precision"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["apart", "margins", "saturated", "signed zeros", "tied", "no numbers", "infinite"])
@pytest.mark.parametrize("doubts", [NEVER, [0.0, 1e-13, 1e-12], [1e-3, 0.0, 0.0], [0.0, 0.0, 0.7], [np.inf, 0.0, 0.0]])
def test_both_ways_of_sorting_agree_to_the_bit(kind, n_classes, measure, doubts):
    truth = np.random.default_rng(1).permutation(np.arange(41) % n_classes)
    for contests in every(n_classes):
        ranking, outputs = Ranking(truth, contests), outputs_of(kind, n_classes, 41, doubts)
        np.testing.assert_array_equal(ranking(outputs, measure), ranking._sort_classes(outputs, measure))


@pytest.mark.parametrize("measure", ["area", "precision"])
def test_what_is_not_left_open_is_right(measure):
    truth = np.random.default_rng(1).permutation(np.arange(40) % 3)
    contests, outputs = every(3)[0], outputs_of("apart", 3, 40, [0.0, 1e-13, 1e-12])
    found = Ranking(truth, contests)._sort(outputs, measure)
    expected = [[REFERENCES[measure](rows[code], truth == code) for rows in outputs.values] for code in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize(("apart", "is_open"), [(0.0, True), (1e-15, True), (1.9e-6, True), (2.1e-6, False)])
def test_outputs_nearer_than_twice_their_doubt_are_left_open(apart, is_open):
    values = np.array([0.2, 0.5, 0.5 + apart, 0.9])
    outputs = Outputs.margins(np.stack([1.0 - values, values])[None], np.array([1e-6]))
    for truth in ([0, 1, 0, 1], [0, 0, 1, 1]):
        found = Ranking(np.array(truth), np.array([[1, 0]]))._sort(outputs, "area")
        assert (found[0, 0] == OPEN) == is_open
    same = Ranking(np.array([0, 1, 1, 0]), np.array([[1, 0]]))
    assert same._sort(outputs, "area")[0, 0] == 0.5  # of one class, it does not matter
    assert (same._sort(outputs, "precision")[0, 0] == OPEN) == is_open  # but equal ones count as a group


def test_many_samples_of_several_classes_are_sorted_class_by_class():
    n_samples = _FEW + 1
    truth = np.arange(n_samples) % 3
    outputs = outputs_of("apart", 3, n_samples, [0.0, 1e-13, 1e-12])
    ranking = Ranking(truth, every(3)[0])
    np.testing.assert_array_equal(ranking(outputs, "area"), ranking._sort(outputs, "area"))
