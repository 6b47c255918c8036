"""What the exact scores of naive Bayes are worth by any score of labels, outputs or probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.literal import shares_of
from sweepless.criteria.scores.base import BoundScore, Keyed, Lines, Outputs, Score, mean_over_folds
from sweepless.criteria.scores.labels import LabelScore
from sweepless.criteria.scores.outputs import LossScore, ManyRankScore, RankScore, log_loss
from sweepless.kernels._lanes import aligned
from sweepless.kernels.bayes.complements import add_complements, fill_second_logarithms, gather_complements
from sweepless.kernels.bayes.labels import count_labels
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.bayes.odds import N_MORE
from sweepless.kernels.bayes.probabilities import fill_probabilities, sum_log_losses

_LARGEST_SCORE = 4096.0  # beyond this, the rounding of log likelihoods changes the twelfth digit of losses
_TAKES_LOG1P = tuple(int(part) for part in scipy.__version__.split(".")[:2]) >= (1, 15)
_SLACK = 0.0 if _TAKES_LOG1P else 2.0**-52  # before, `logsumexp` took the logarithm of a rounded sum
_SMALLEST = 2e-323  # some steps between the smallest doubles
_NOTHING = np.empty((0, 0), dtype=np.bool_)

ScoresOf: TypeAlias = Callable[[int, int], Values]
"""Returns the scores (candidate, class, sample) of the samples of some folds: the first, and the one after the last."""


Chosen: TypeAlias = Counts | slice
"""The places of some candidates."""

EVERY = slice(None)


class Doubts(NamedTuple):
    """How far another arithmetic may be from the scores of candidates.

    Attributes
    ----------
    calls : callable
        Returns by how much the difference of two scores may change, given a fold, the scores of some candidates, and
        which these are.
    rows : callable
        Returns a row of values per sample, given a candidate; equal rows have equal scores in any arithmetic.
    settled : callable, optional
        Returns whether the scores are the priors in any arithmetic, per candidate and sample.
    literal : callable, optional
        Returns the scores (sample, class) as scikit-learn rounds them, given a candidate and a fold.
    """

    calls: Callable[[int, Values, Chosen], Values]
    rows: Callable[[int], Values]
    settled: Callable[[], Mask] | None = None
    literal: Callable[[int, int], Values] | None = None


class Rough(NamedTuple):
    """Scores of candidates by which most of them can be ranked.

    Attributes
    ----------
    n_candidates : int
    fill : callable
        Fills in keys and limits of the lines of a fold, given the coldness.
    some : callable
        Returns the exact scores of some candidates.
    """

    n_candidates: int
    fill: Callable[[int, float, Lines, AnyArray, Counts], None]
    some: Callable[[Counts], ScoresOf]


RoughOf: TypeAlias = Callable[[], Rough | None]
"""Returns rough scores, if ranks can be told from any."""


class _Part(NamedTuple):
    """Folds that are scored as one."""

    first: int
    last: int
    samples: slice
    starts: Counts  # where the samples of a class begin among these
    truth: Counts


class Scored:
    """A score on every fold, one after the other, so that scores stay in the cache; leave-one-out is one fold."""

    def __init__(self, score: Score, cells: Cells, codes: Counts, classes: AnyArray) -> None:
        self._score, self._classes = score, classes
        truth = codes[cells.order] if len(codes) else codes
        ends = [(0, cells.n_folds)] if cells.leaves_one_out else [(k, k + 1) for k in range(cells.n_folds)]
        self._parts, self._folds = [], []
        for first, last in ends:
            samples = slice(int(cells.bounds[first, 0]), int(cells.bounds[last - 1, -1]))
            starts = np.searchsorted(truth[samples], np.arange(len(classes) + 1)).astype(np.int64)
            self._parts.append(_Part(first, last, samples, starts, truth[samples]))
            self._folds.append(BoundScore(score, truth[samples], classes))

    @property
    def n_samples(self) -> int:
        """The number of samples that are scored together, at most."""
        return max(len(part.truth) for part in self._parts)

    def values(
        self, scores_of: ScoresOf, coldness: float, doubts: Doubts | None, rough_of: RoughOf | None = None
    ) -> Values:
        """Return the values of scores; without doubts everything is taken as computed.

        Ranks are first told from rough scores, if there are any.
        """
        folds, ranks = range(len(self._folds)), isinstance(self._score, RankScore | ManyRankScore)
        rough = rough_of() if ranks and doubts is not None and rough_of is not None else None
        if isinstance(self._score, LabelScore):
            found = self._by_tables(self._score, scores_of, doubts)
        elif rough is not None and doubts is not None:
            found = [self._ranked(k, coldness, doubts, rough) for k in folds]
        else:
            found = [self._value(k, scores_of, coldness, doubts) for k in folds]
        if doubts is not None and doubts.literal is not None and coldness == 1.0:
            for k, values in enumerate(found):
                for m in np.flatnonzero(np.isnan(values)).tolist():
                    values[m] = self._repeated(k, doubts.literal(m, self._parts[k].first))
        return mean_over_folds(found)

    def _repeated(self, k: int, scores: Values) -> float:
        """Return the value of a fold by scores (sample, class) as scikit-learn rounds them."""
        known = scores if self._score.needs == "labels" else shares_of(scores)
        outputs = np.ascontiguousarray(known.T)[None]
        if isinstance(self._score, LossScore) and len(self._classes) == 2:
            outputs[:, 0] = 1.0 - outputs[:, 1]
        return float(self._folds[k](Outputs.counted(outputs))[0])

    def _ranked(self, k: int, coldness: float, doubts: Doubts, rough: Rough) -> Values:
        """Rank by rough scores, and where that does not suffice by exact ones."""
        part = self._parts[k]

        def fill(lines: Lines, keys: AnyArray, limits: Counts) -> None:
            rough.fill(part.first, coldness, lines, keys, limits)

        def outputs(chosen: Counts) -> Outputs:
            return self._outputs(part, rough.some(chosen)(part.first, part.last), coldness, doubts, chosen)

        values = self._folds[k](Keyed(rough.n_candidates, fill, outputs))
        if len(self._classes) == 2 and coldness == 1.0:
            for m in np.flatnonzero(np.isnan(values)):
                chosen = np.array([m])
                here = rough.some(chosen)(part.first, part.last)
                values[m] = self._folds[k](_followed(here, outputs(chosen)))[0]
        return values

    def _by_tables(self, score: LabelScore, scores_of: ScoresOf, doubts: Doubts | None) -> list[Values]:
        """Count who wins fold by fold, and value the tables of all folds at once; empty ones count 0."""
        tables, sure = [], []
        for part in self._parts:
            here = scores_of(part.first, part.last)
            n_candidates, n_classes, n_samples = here.shape
            tables.append(np.zeros((n_candidates, n_classes, n_classes), dtype=np.int64))
            sure.append(np.ones(n_candidates, dtype=np.bool_))
            if n_samples == 0:
                continue
            calls = np.full(n_candidates, -1.0) if doubts is None else doubts.calls(part.first, here, EVERY)
            settled = _NOTHING if doubts is None else _settled(doubts, part)
            pads, labels = np.empty((2, n_samples)), np.empty(n_samples, dtype=np.int64)
            count_labels(here, part.starts, calls, settled, pads, labels, tables[-1], sure[-1])
        return list(np.where(sure, score.of_folds(np.stack(tables), self._classes), np.nan))

    def _value(self, k: int, scores_of: ScoresOf, coldness: float, doubts: Doubts | None) -> Values:
        part = self._parts[k]
        here = scores_of(part.first, part.last)
        if self._score.needs == "labels":
            if doubts is None:
                return self._folds[k](Outputs.counted(here))
            outputs = Outputs.margins(here, doubts.calls(part.first, here, EVERY))
            return self._folds[k](outputs._replace(settled=_settled(doubts, part)))
        if isinstance(self._score, LossScore) and self._score.loss is log_loss and len(part.truth):
            return self._log_loss(self._score, part, here, coldness, doubts is not None)
        if doubts is not None and not isinstance(self._score, LossScore):
            return self._folds[k](self._outputs(part, here, coldness, doubts, np.arange(len(here))))
        probabilities, largest = np.empty(here.shape), np.empty(len(here))
        fill_probabilities(here, coldness, probabilities, largest)
        values = self._folds[k](Outputs.counted(probabilities))
        return values if doubts is None else np.where(largest <= _LARGEST_SCORE, values, np.nan)

    def _outputs(self, part: _Part, here: Values, coldness: float, doubts: Doubts, chosen: Counts) -> Outputs:
        """Return the probabilities of some candidates, given their scores, and how sure they are."""
        probabilities, largest = np.empty(here.shape), np.empty(len(here))
        fill_probabilities(here, coldness, probabilities, largest)
        rounding = 4.0 * ROUNDING * (largest + 8.0)
        calls = coldness * doubts.calls(part.first, here, chosen)
        bounds = np.stack([np.full(len(here), _SMALLEST), rounding, calls], axis=1)
        return Outputs(probabilities, bounds, (0.0, 1.0), lambda m: doubts.rows(int(chosen[m]))[part.samples])

    def _log_loss(self, score: LossScore, part: _Part, here: Values, coldness: float, is_doubted: bool) -> Values:
        """Return log losses, NaN where doubts are asked for and rounding shows.

        scikit-learn's scorers pass only the probability of the second of two classes on; that of the first is its
        complement, which is as exact as the second one. That is off by roundings of its own logarithm; those of
        different samples are independent. Where they show, complements are computed as scikit-learn does it, but for
        those that are too great to matter.
        """
        n_candidates, n_classes, n_samples = here.shape
        n_firsts = int(part.starts[1]) if len(self._classes) == 2 else 0
        pads, (logs, shares) = np.empty((n_classes + 3, n_samples)), np.zeros((2, 4, n_samples))
        losses, extremes = np.empty(n_candidates), np.empty((n_candidates, 2))
        sum_log_losses(here, coldness, part.starts, n_firsts, pads, logs, shares, losses, extremes)
        if is_doubted and n_firsts:
            _follow(here, extremes, n_firsts, coldness == 1.0, losses)
        if is_doubted:
            losses[extremes[:, 0] > _LARGEST_SCORE] = np.nan
        return score.worth(part.truth, self._classes)(losses)


def pads_for(n_classes: int, lines: Lines) -> tuple[Values, Values, AnyArray]:
    """Return the pads of kernels that fill in keys."""
    width = lines.marks.shape[1]
    pads = aligned(2 * n_classes + N_MORE, width, np.float64)
    return pads[:n_classes], pads[n_classes:], np.empty((1, width), dtype=np.int32)


def _followed(scores: Values, outputs: Outputs) -> Outputs:
    """Return probabilities of two classes rounded as scikit-learn does it, where that can be told, for one candidate.

    A great probability is then known to the last digit, and is off by nothing instead of a rounding that hides others.
    """
    known, equal = [], 0.5
    odds = outputs.doubts[0, 2] + 2.0 * outputs.doubts[0, 1]  # of the lesser half, roundings are part of the odds
    for pair in (scores[:, ::-1], scores):
        logarithms, errors = np.empty((2, 1, scores.shape[2]))
        fill_second_logarithms(np.ascontiguousarray(pair), _SLACK, logarithms, errors)
        shares, is_unsure = np.exp(logarithms[0]), errors[0] > 0.0
        rest = np.maximum(1.0 - shares[is_unsure], 0.0)
        with np.errstate(divide="ignore"):
            odds = max(odds, odds + float(np.max(errors[0, is_unsure] / rest, initial=0.0)))
        equal = max(equal, float(np.max(shares[is_unsure], initial=0.5)))
        known.append(shares)
    doubts = np.array([[outputs.doubts[0, 0], 0.0, odds]])
    return Outputs(np.stack(known)[None], doubts, (0.0, float(np.nextafter(equal, 1.0))), outputs.rows)


def _follow(scores: Values, extremes: Values, n_firsts: int, is_followed: bool, losses: Values) -> None:
    """Put scikit-learn's complements into sums of log losses of two classes; NaN where that does not suffice."""
    shares, logarithms, errors = np.empty((3, len(scores) * n_firsts + 1))
    lost, ends = np.empty(len(scores)), np.empty(len(scores), dtype=np.int64)
    gather_complements(scores, extremes, n_firsts, is_followed, _SLACK, lost, ends, shares, logarithms, errors)
    complements = 1.0 - np.exp(logarithms[: ends[-1]])  # by NumPy, as there: another last bit would show
    add_complements(ends, shares, complements, errors, scores.shape[2], lost, losses)


def _settled(doubts: Doubts, part: _Part) -> Mask:
    """Return which samples are settled for every candidate; nothing about any sample if that is not known."""
    if doubts.settled is None:
        return _NOTHING
    return np.ascontiguousarray(doubts.settled()[:, part.samples])
