"""Keys are in the order of outputs wherever they are farther apart than their limit, and hold the true class."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from sklearn.metrics import average_precision_score, roc_auc_score

from sweepless.criteria.bayes.scored import _followed, pads_for
from sweepless.criteria.scores.base import Lines, Outputs, Single
from sweepless.criteria.scores.labels import tables_of
from sweepless.criteria.scores.ranks import Ranking
from sweepless.kernels._eights import eights
from sweepless.kernels.bayes.odds import key_gaussian, key_words
from sweepless.kernels.keys import HIGHEST, NO_ORDER, key_margins, key_shares
from sweepless.kernels.orders import MANY
from tests.reference import keys as reference

N_SAMPLES, N_BITS = 60, 2
TRUTH = np.arange(N_SAMPLES) % 3
CODES = np.array([0, 2])
N_KEYS = 2 * N_SAMPLES
MARKS = (HIGHEST + np.tile(TRUTH, (2, 1))).astype(np.int32)
PROBABLE = [2e-323, 2e-14, 1e-12]


def room(n_candidates):
    return np.empty((n_candidates, N_KEYS), dtype=np.int32), np.empty(n_candidates, dtype=np.int64)


def keys_of(values, doubts, are_shares):
    keys, limits = room(len(values))
    known = (values, CODES, np.tile(doubts, (len(values), 1)), MARKS, N_BITS)
    if are_shares:
        key_shares(*known, np.empty(N_KEYS, dtype=np.int64), keys, limits)
    else:
        key_margins(*known, np.empty(N_KEYS), keys, limits)
    return keys, limits


def values_of(kind):
    draws = np.random.default_rng(3)
    margins = draws.normal(size=(4, 3, N_SAMPLES)) * np.array([1e-3, 1.0, 30.0, 400.0])[:, None, None]
    if kind == "margins":
        return margins
    values = scipy.special.expit(margins)
    if kind == "tied":
        return np.round(values, 1)
    if kind == "near":
        values[:, :, 1::2] = values[:, :, ::2] * (1.0 - 1e-13)
    return values


@pytest.mark.parametrize("kind", ["margins", "shares", "tied", "near"])
@pytest.mark.parametrize("doubts", [[-1.0, 0.0, 0.0], PROBABLE, [0.0, 0.0, 1e-3], [1e-10, 0.0, 0.0]])
def test_keys_tell_apart_only_what_is_in_order(kind, doubts):
    values = values_of(kind)
    keys, limits = keys_of(values, doubts, kind != "margins")
    assert (keys & 3 == np.tile(TRUTH, 2)).all()
    for m, rows in enumerate(values):
        line = rows[CODES].ravel()
        assert not reference.broken(line, keys[m], limits[m], N_BITS, doubts)
    if doubts[2] < 1e-3:
        assert (limits[1:] < 1e4).all()  # of 2**29 levels; the first candidate may have a single one


@pytest.mark.parametrize(
    ("are_shares", "wrong"),
    [(False, np.nan), (False, np.inf), (False, -np.inf), (True, np.nan), (True, -1e-3), (True, 1.5)],
)
def test_what_cannot_be_laid_out_has_no_order(are_shares, wrong):
    values = values_of("shares")
    values[1:, 0, 7] = wrong
    limits = keys_of(values, PROBABLE, are_shares)[1]
    assert limits[0] < NO_ORDER
    assert (limits[1:] == NO_ORDER).all()


@pytest.mark.parametrize("are_shares", [False, True])
def test_outputs_without_any_difference_or_with_great_doubts_have_no_order(are_shares):
    assert keys_of(values_of("shares"), [np.inf, 0.0, 0.0], are_shares)[1].tolist() == [NO_ORDER] * 4
    assert keys_of(values_of("shares"), [0.3, 0.3, 0.3], True)[1].tolist() == [NO_ORDER] * 4
    keys, limits = keys_of(np.full((1, 3, N_SAMPLES), 0.5), PROBABLE, are_shares)
    assert limits[0] == NO_ORDER or len(np.unique(keys >> N_BITS)) == 1


def bayes_keys(kind, scale, coldness, sign, call, untrained=False):
    """Return keys, limits and the exact scores of some candidates in the second of two folds."""
    draws = np.random.default_rng(7)
    n_before = 11
    cells = np.array([[0, 4, 8, n_before], [n_before, 30, 50, n_before + N_SAMPLES]])
    standing = scale * draws.normal(size=(3, n_before + N_SAMPLES)) - 3.0 * scale
    if untrained:
        standing[1] = -np.inf
    columns = draws.poisson(2.0, size=(5, n_before + N_SAMPLES)).astype(float)
    a, b = draws.normal(size=(2, 5, 2, 3))
    keys, limits = room(5)
    lines = Lines(CODES, np.pad(MARKS, ((0, 0), (0, eights(N_SAMPLES) - N_SAMPLES))), N_BITS)
    pads = pads_for(3, lines)
    calls = np.full((5, 2), call)
    x, here = columns[:, None, n_before:], standing[:, n_before:]
    if kind == "gaussian":
        means = draws.normal(size=(5, 2, 3))
        given = (sign, columns, means, a, np.abs(b))
        key_gaussian(1, cells, standing, *given, coldness, calls, *lines, *pads, keys, limits)
        terms = a[:, 1, :, None] - np.abs(b[:, 1, :, None]) * (x - means[:, 1, :, None]) ** 2
        return keys, limits, here + sign * terms
    lengths = columns.sum(axis=0)
    given = (lengths, sign, columns, a, b)
    key_words(1, cells, standing, *given, coldness, calls, *lines, *pads, keys, limits)
    close = b[:, 1, :, None]
    return keys, limits, here + sign * x * a[:, 1, :, None] - (lengths[n_before:] + sign * x) * close


@pytest.mark.parametrize("kind", ["gaussian", "words"])
@pytest.mark.parametrize("scale", [0.1, 5.0, 300.0])
@pytest.mark.parametrize(("coldness", "sign"), [(1.0, 1.0), (0.3, -1.0)])
def test_keys_of_naive_bayes_are_in_the_order_of_its_probabilities(kind, scale, coldness, sign):
    keys, limits, scores = bayes_keys(kind, scale, coldness, sign, 1e-10)
    assert (keys & 3 == np.tile(TRUTH, 2)).all()
    assert (limits < 1e3).all()
    for m in range(5):
        line = reference.shares(scores[m], coldness)[CODES].ravel()
        assert not reference.broken(line, keys[m], limits[m], N_BITS, [0.0, 1e-14, 1e-10 * coldness])


@pytest.mark.parametrize("kind", ["gaussian", "words"])
def test_unsure_scores_and_classes_without_samples(kind):
    assert bayes_keys(kind, 5.0, 1.0, 1.0, np.inf)[1].tolist() == [NO_ORDER] * 5
    assert bayes_keys(kind, 1e9, 1.0, 1.0, 0.0)[1].tolist() == [NO_ORDER] * 5  # too large for digits that matter
    keys, limits, scores = bayes_keys(kind, 5.0, 1.0, 1.0, 0.0, untrained=True)
    for m in range(5):
        line = reference.shares(scores[m], 1.0)[CODES].ravel()
        assert not reference.broken(line, keys[m], limits[m], N_BITS, [0.0, 0.0, 0.0])


@pytest.mark.parametrize(("n_samples", "is_ordered"), [(MANY, True), (MANY + 1, False)])
def test_places_are_summed_if_there_is_room_for_them(monkeypatch, n_samples, is_ordered):
    values = np.random.default_rng(0).permutation(n_samples).astype(float)
    ranking, outputs = Ranking(np.arange(n_samples) % 2, np.array([[1, 0]])), Outputs.counted(values[None, None])
    expected = ranking._sort_classes(Outputs.counted(np.stack([-values, values])[None]), "area")
    if is_ordered:
        monkeypatch.setattr(Ranking, "_sort_classes", None)
    np.testing.assert_array_equal(ranking(outputs, "area"), expected)


@pytest.mark.parametrize("measure", ["area", "precision"])
def test_a_single_vote_ranks_as_its_shares_do(measure):
    draws = np.random.default_rng(0)
    labels, truth = draws.integers(0, 4, (5, 40)), np.arange(40) % 4
    labels[0], labels[1] = truth, 2
    shares = (labels[:, None] == np.arange(4)[:, None]).astype(float)
    ranking = Ranking(truth, np.array([[0, 1, 2, 3], [1, 0, 2, 3], [3, 0, 1, 2]]))
    expected = ranking(Outputs.counted(shares, 1), measure)
    np.testing.assert_array_equal(ranking(Single(tables_of(labels, truth, 4)), measure), expected)
    np.testing.assert_array_equal(expected, ranking(Outputs.counted(shares), measure))


@pytest.mark.parametrize("code", [0, 1])
def test_great_probabilities_of_two_classes_are_ranked_as_scikit_learn_rounds_them(code):
    draws = np.random.default_rng(5)
    truth = np.arange(40) % 2
    n_decided = n_tied = 0
    for _ in range(20):
        odds = draws.normal(size=40) * 4.0
        odds[:8] = 20.0 + np.sort(draws.random(8)) * 1e-3  # nearer to one another than a probability can tell
        scores = -277.0 - 10.0 * draws.random(40) + np.stack([np.zeros(40), odds])[:: 1 if code else -1]
        logarithms = scores - scipy.special.logsumexp(scores, axis=0)
        shares = np.exp(logarithms[code])
        unsure = Outputs(np.exp(logarithms)[None], np.array([[2e-323, 2.4e-13, 1e-10]]), (0.0, 1.0))
        ranking = Ranking(truth, np.array([[code, 1 - code]]))
        followed = _followed(scores[None], unsure)
        for measure, score in (("area", roc_auc_score), ("precision", average_precision_score)):
            assert np.isnan(ranking(unsure, measure)).all()
            found = ranking(followed, measure)[0, 0]
            if not np.isnan(found):
                n_decided += 1
                n_tied += len(np.unique(shares[:8])) < 8
                assert found == pytest.approx(score(truth == code, shares), abs=1e-14)
    assert n_decided > 20
    assert n_tied > 0


@pytest.mark.parametrize(
    ("values", "is_known"),
    [
        ([0.2, 0.3, 0.95, 0.95], True),
        ([0.2, 0.3, 0.6, 0.6], True),  # nobody else is above them
        ([0.2, 0.2, 0.9, 0.99], False),
        ([0.2, 0.2 + 1e-9, 0.9, 0.99], False),
    ],
)
def test_samples_of_a_class_are_one_step_only_if_they_are_known_to_be_equal(values, is_known):
    line = np.append(0.5, values)
    outputs = Outputs(np.stack([1.0 - line, line])[None], np.array([[0.0, 0.0, 1e-8]]), (0.0, 0.92))
    ranking = Ranking(np.array([0, 1, 1, 1, 1]), np.array([[1, 0]]))
    assert np.isfinite(ranking(outputs, "precision")).all() == is_known
    assert np.isfinite(ranking(outputs, "area")).all()


@pytest.mark.parametrize(
    ("apart", "on_top", "is_known"), [(1e-9, False, False), (1e-6, False, True), (1e-9, True, True)]
)
def test_precisions_hang_on_whether_samples_of_a_class_are_one_step(apart, on_top, is_known):
    values = np.array([0.3, 0.5, 0.5 + apart, 0.1 if on_top else 0.8])
    outputs = Outputs.margins(np.stack([1.0 - values, values])[None], np.array([1e-8]))
    ranking = Ranking(np.array([0, 1, 1, 0]), np.array([[1, 0]]))
    assert np.isnan(ranking(outputs, "precision")[0, 0]) != is_known
    assert ranking(outputs, "area")[0, 0] == (1.0 if on_top else 0.5)
