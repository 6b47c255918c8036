"""The probability of the second of two classes as scikit-learn computes it, so that its complement has the same digits.

Of a small complement few digits are right, and which they are is decided by two roundings that can be followed. With
the greater score s and r = log(1 + exp(-distance of the scores)), the logarithm of the greater probability is computed
as s - (s + r): this is r rounded to a multiple of the spacing of doubles there, whatever the last digits of s are. Only
if r is too near the middle of two multiples, it cannot be told. The exponential is left to NumPy, as there.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import in_wide_vectors, index, inlined, kernel
from sweepless.kernels.bayes.moments import ROUNDING
from sweepless.kernels.elementary import exp_of, log_of

MOST_LOST = 6e-13  # of a loss
_LEFT = 1e-13  # of that, by what is not followed
_NEAR_ZERO = 2.0**-50  # where s is hardly greater than r, the last digits of both are rounded
_EXPONENT = np.int64(0x7FF0000000000000)
_UNSURE = 2.0**-49  # what a score may be off by, as a share of it
_LEAST_COUNTED = 2.0**-52  # a probability in a log loss


@kernel
def fill_second_logarithms(scores: Values, slack: float, logarithms: Values, errors: Values) -> None:
    """Fill in log p of the second class for every candidate and sample, and what it may be off by.

    That is nothing where a rounding can be told; otherwise it is the spacing, or half of it if r lies in the middle for
    sure, which then is filled in. Errors of the scores do not count. Their r may differ from ours by `slack`.
    """
    for m in range(len(scores)):
        first, second, found, error = scores[m, 0], scores[m, 1], logarithms[m], errors[m]
        for i in range(index(scores.shape[2])):
            found[i], error[i] = _second_logarithm(first[i], second[i], slack)


@kernel
def gather_complements(
    scores: Values,
    extremes: Values,
    n_firsts: int,
    is_followed: bool,
    slack: float,
    lost: Values,
    ends: Counts,
    shares: Values,
    logarithms: Values,
    errors: Values,
) -> None:
    """Do the same for the first samples of candidates whose log losses are off by more than `MOST_LOST`, if asked for.

    `extremes` are those of `sum_log_losses`, and `lost` is what losses may be off by, without these samples. Samples
    whose complements are too great to matter are left out. Those of one candidate follow those of the other, and end at
    `ends`; there is room for all, and for one more. Also fill in p of the first class without such roundings.
    """
    in_wide_vectors()
    end = index(0)
    for m in range(len(scores)):
        each = 2.0 * ROUNDING * (1.0 + extremes[m, 0]) / scores.shape[2]
        lost[m] = each * np.sqrt(extremes[m, 1])
        if is_followed and lost[m] > MOST_LOST:
            left = each * np.sqrt(float(n_firsts))
            greatest = min(left / _LEFT, 0.5)
            lead, lost[m] = log_of(1.0 / greatest - 1.0), left / greatest
            first, second = scores[m, 0], scores[m, 1]
            for i in range(index(n_firsts)):  # without a branch: nobody can predict it
                shares[end], logarithms[end] = first[i], second[i]
                end += index(second[i] - first[i] > lead)
        ends[m] = end
    for i in range(end):
        a, b = shares[i], logarithms[i]
        part = exp_of(a - b)
        shares[i] = part / (1.0 + part)
        logarithms[i], errors[i] = _second_logarithm(a, b, slack)


@kernel
def add_complements(
    ends: Counts, shares: Values, complements: Values, errors: Values, n_samples: int, lost: Values, losses: Values
) -> None:
    """Add to sums of log losses what they grow by if shares are replaced by complements; NaN if they are still off."""
    in_wide_vectors()
    for i in range(index(len(complements))):
        share = complements[i] if complements[i] > _LEAST_COUNTED else _LEAST_COUNTED
        errors[i] = errors[i] / share
        complements[i] = log_of(shares[i] if shares[i] > _LEAST_COUNTED else _LEAST_COUNTED) - log_of(share)
    start = index(0)
    for m in range(len(ends)):
        more, off = 0.0, 0.0
        for i in range(start, index(ends[m])):
            more += complements[i]
            off += errors[i]
        start = index(ends[m])
        losses[m] += more
        if off / n_samples + lost[m] > MOST_LOST:
            losses[m] = np.nan


@inlined
def _second_logarithm(first: float, second: float, slack: float) -> tuple[float, float]:
    """Return log p of the second class, and what it may be off by."""
    top = first if first > second else second
    part = exp_of(-abs(first - second))
    whole = 1.0 + part
    rest = log_of(whole) + (part - (whole - 1.0)) / whole  # with what the sum has rounded off
    total = top + rest
    rounded = total - top
    spacing = np.int64(np.float64(total).view(np.int64) & _EXPONENT).view(np.float64) * 2.0**-52
    nearest = 0.5 * spacing - abs(rest - rounded)  # to the middle
    doubt = slack + _UNSURE * (1.0 + abs(top)) * rest
    is_between = nearest <= doubt < 0.25 * spacing  # there the middle is nearer than the wrong one of two multiples
    rounded = rest if is_between else rounded
    error = 0.5 * spacing + doubt if is_between else spacing if nearest <= doubt else 0.0
    return (second - top) - rounded, _NEAR_ZERO if rest > 0.25 * abs(top) else error
