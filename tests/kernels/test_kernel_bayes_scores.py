"""Tables and log losses are counted and summed where scores are, as their definitions say."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels.bayes.complements import (
    MOST_LOST,
    add_complements,
    fill_second_logarithms,
    gather_complements,
)
from sweepless.kernels.bayes.labels import count_labels
from sweepless.kernels.bayes.probabilities import SATURATED, fill_probabilities, sum_log_losses
from sweepless.kernels.scores import sum_log_losses as sum_of_shares
from tests.reference import scores as reference

UNSETTLED = np.empty((0, 0), dtype=np.bool_)


def scores_of(kind, n_candidates, n_classes, n_samples):
    scores = np.random.default_rng(n_classes).normal(size=(n_candidates, n_classes, n_samples))
    if kind == "tied":
        return np.round(scores)
    if kind == "equal":
        return np.zeros_like(scores)
    if kind == "untrained":
        scores[:, -1] = -np.inf
    return scores * (300.0 if kind == "far" else 1.0)


def starts_of(truth, n_classes):
    return np.searchsorted(truth, np.arange(n_classes + 1))


def tables_of(scores, truth, calls, settled=UNSETTLED):
    n_candidates, n_classes, n_samples = scores.shape
    tables, is_sure = np.empty((n_candidates, n_classes, n_classes), dtype=np.int64), np.empty(n_candidates, bool)
    pads, labels = np.empty((2, n_samples)), np.empty(n_samples, dtype=np.int64)
    calls = np.full(n_candidates, calls)
    count_labels(scores, starts_of(truth, n_classes), calls, settled, pads, labels, tables, is_sure)
    return tables, is_sure


@pytest.mark.parametrize("kind", ["apart", "tied", "equal", "untrained"])
@pytest.mark.parametrize("n_classes", [1, 2, 4])
@pytest.mark.parametrize("n_samples", [0, 1, 37])
def test_tables_by_definition(kind, n_classes, n_samples):
    scores = scores_of(kind, 5, n_classes, n_samples)
    truth = np.sort(np.arange(n_samples) % max(1, n_classes - 1))  # the last class is missing
    tables, is_sure = tables_of(scores, truth, -1.0)
    if n_classes > 1 or kind != "untrained":
        assert is_sure.all()
    for table, rows in zip(tables, scores, strict=True):
        assert table.tolist() == reference.confusion(reference.winners([*rows, rows[0]]), truth, n_classes)


def test_close_calls_are_unsure_unless_they_are_settled():
    scores = np.array([[[0.0, 3.0], [0.1, 0.0], [-5.0, -5.0]]])
    truth = np.array([0, 1])
    assert tables_of(scores, truth, 0.05)[1].all()
    assert not tables_of(scores, truth, 0.2)[1].any()
    assert tables_of(scores, truth, 0.2, np.array([[True, False]]))[1].all()
    assert not tables_of(scores, truth, 0.2, np.array([[False, True]]))[1].any()
    assert not tables_of(np.full((1, 2, 2), -np.inf), truth, -1.0)[1].any()  # nobody was trained on


@pytest.mark.parametrize("kind", ["apart", "tied", "equal", "far", "untrained"])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("n_candidates", [1, 4, 7])
def test_log_losses_are_those_of_the_probabilities(kind, n_classes, n_candidates):
    scores = scores_of(kind, n_candidates, n_classes, 50)
    truth = np.sort(np.arange(50) % n_classes)
    starts, n_firsts = starts_of(truth, n_classes), int(np.count_nonzero(truth == 0))
    losses, extremes, expected = np.empty(n_candidates), np.empty((n_candidates, 2)), np.empty(n_candidates)
    pads, logs, shares = np.empty((n_classes + 3, 50)), np.zeros((4, 50)), np.zeros((4, 50))
    sum_log_losses(scores, 0.7, starts, n_firsts, pads, logs, shares, losses, extremes)
    probabilities, largest = np.empty(scores.shape), np.empty(n_candidates)
    fill_probabilities(scores, 0.7, probabilities, largest)
    sum_of_shares(probabilities, truth, expected)
    np.testing.assert_allclose(losses, expected, rtol=1e-15, atol=50 * 2.0**-53)
    assert extremes[:, 0].tolist() == largest.tolist()
    for m in range(n_candidates):  # whatever the batch
        loss, extreme = np.empty(1), np.empty((1, 2))
        sum_log_losses(scores[m : m + 1], 0.7, starts, n_firsts, pads, logs, shares, loss, extreme)
        assert (loss.item(), *extreme[0]) == (losses[m], *extremes[m])
    np.testing.assert_allclose(losses, [reference.log_loss(one, truth) for one in probabilities], rtol=1e-13)
    firsts = probabilities[:, 0, :n_firsts]
    squares = np.where(firsts >= SATURATED, 1.0 / np.maximum(firsts, SATURATED) ** 2, 0.0)
    np.testing.assert_allclose(extremes[:, 1], squares.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("scale", [0.1, 3.0, 60.0, 900.0])
def test_logarithms_of_the_second_class_are_rounded_as_their_formula_is(scale):
    scores = scale * np.random.default_rng(5).normal(size=(7, 2, 200)) - 3.0 * scale
    scores[0, 1] = scores[0, 0]
    logarithms, errors = np.empty((2, 7, 200))
    fill_second_logarithms(scores, 0.0, logarithms, errors)
    top = scores.max(axis=1)
    expected = scores[:, 1] - (top + np.log1p(np.exp(-np.abs(scores[:, 0] - scores[:, 1]))))
    is_second = scores[:, 1] == top
    assert (np.abs(logarithms - expected) <= errors)[is_second].all()
    np.testing.assert_allclose(logarithms, expected, rtol=1e-14, atol=2.0**-51 * np.abs(top).max())
    assert (errors <= np.maximum(np.spacing(np.abs(top)), 2.0**-50)).all()
    fill_second_logarithms(scores, np.inf, logarithms, errors)
    assert (errors > 0.0).all()


@pytest.mark.parametrize("kind", ["usual", "tied", "equal", "far"])
@pytest.mark.parametrize("n_firsts", [1, 31])
@pytest.mark.parametrize("is_followed", [True, False])
def test_gathered_complements_are_those_of_all_samples(kind, n_firsts, is_followed):
    scores = scores_of(kind, 6, 2, 31)
    extremes = np.stack([[10.0, 300.0, 4000.0, 10.0, 9.0, 2000.0], [1e12, 1e12, 1e12, 0.0, np.nan, 1e30]], axis=1)
    everything, errors_of_all = np.empty((2, 6, 31))
    fill_second_logarithms(scores, 0.0, everything, errors_of_all)
    ends, lost, (shares, logarithms, errors) = np.empty(6, dtype=np.int64), np.empty(6), np.empty((3, 6 * n_firsts + 1))
    gather_complements(scores, extremes, n_firsts, is_followed, 0.0, lost, ends, shares, logarithms, errors)
    each = 2.0**-51 * (1.0 + extremes[:, 0]) / 31
    shows = each * np.sqrt(extremes[:, 1]) > MOST_LOST
    assert shows.tolist() == [True, True, True, False, False, True]
    greatest = np.minimum(each * n_firsts**0.5 / 1e-13, 0.5)
    left = np.where(shows & is_followed, each * n_firsts**0.5 / greatest, each * np.sqrt(extremes[:, 1]))
    np.testing.assert_allclose(lost, left, rtol=1e-14)
    gathered, losses = errors.copy(), np.ones(6)
    add_complements(ends, shares, 1.0 - np.exp(logarithms[: ends[-1]]), errors, 31, lost, losses)
    for m in range(6):
        gap = scores[m, 1, :n_firsts] - scores[m, 0, :n_firsts]
        is_here = shows[m] & is_followed & (gap > np.log(1.0 / greatest[m] - 1.0))
        here, own = np.flatnonzero(is_here), slice(ends[m - 1] if m else 0, ends[m])
        np.testing.assert_array_equal(logarithms[own], everything[m, here])
        np.testing.assert_array_equal(gathered[own], errors_of_all[m, here])
        plain = np.maximum(reference.logistic(-gap[here]), 2.0**-52)
        followed = np.maximum(1.0 - np.exp(everything[m, here]), 2.0**-52)
        is_off = lost[m] + np.sum(errors_of_all[m, here] / followed) / 31 > MOST_LOST
        expected = np.nan if is_off else 1.0 + np.sum(np.log(plain) - np.log(followed))
        np.testing.assert_allclose(losses[m], expected, rtol=1e-10, atol=1e-12)
