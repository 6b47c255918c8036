"""How much repeated selections agree: Nogueira's measure with its confidence interval, and all measures at once."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from statistics import NormalDist

import numpy as np

from sweepless.errors import InputError
from sweepless.stability.frequencies import relative_weighted_consistency
from sweepless.stability.membership import Subsets, check_n_features, memberships
from sweepless.stability.pairwise import normalized_hamming_index, tanimoto_index


@dataclass(frozen=True)
class StabilityEstimate:
    """Nogueira's measure, which is 1 if all runs agree and 0 in expectation if they select at random.

    The interval is a normal approximation; it is (nan, nan) for fewer than two runs.
    """

    value: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Stability:
    """The measures of one system of subsets.

    Attributes
    ----------
    ati, cw_rel, anhi : float
        See `tanimoto_index`, `relative_weighted_consistency`, `normalized_hamming_index`.
    nogueira : StabilityEstimate
    """

    ati: float
    cw_rel: float
    anhi: float
    nogueira: StabilityEstimate


def stability(subsets: Subsets, n_features: int, *, confidence: float = 0.95) -> Stability:
    """Measure how much the subsets of repeated selections agree.

    Parameters
    ----------
    subsets : sequence of collections of int
        The selected features of every run.
    n_features : int
        Number of features that the runs could select from.
    confidence : float
        Confidence level of the interval of Nogueira's measure.
    """
    return Stability(
        ati=tanimoto_index(subsets),
        cw_rel=relative_weighted_consistency(subsets, n_features),
        anhi=normalized_hamming_index(subsets, n_features),
        nogueira=nogueira_stability(subsets, n_features, confidence=confidence),
    )


def nogueira_stability(subsets: Subsets, n_features: int, *, confidence: float = 0.95) -> StabilityEstimate:
    """Estimate stability after Nogueira, Sechidis and Brown (2018), with a confidence interval.

    The estimate is one minus the ratio of two variances: the mean sample variance of a feature's selection, and the
    variance of random selections of the same mean size. For subsets of one size it is the mean of Kuncheva's index
    over all pairs. Runs that all select nothing, or all select everything, have no variance to compare with, but they
    agree, so their value is 1.

    Parameters
    ----------
    subsets : sequence of collections of int
        The selected features of every run.
    n_features : int
        Number of features that the runs could select from.
    confidence : float
        Confidence level, between 0 and 1, exclusive.
    """
    if not 0.0 < confidence < 1.0:
        raise InputError(f"`confidence` must lie between 0 and 1, got {confidence!r}.")
    check_n_features(n_features, subsets)
    n_runs = len(subsets)
    if n_runs < 2:
        return StabilityEstimate(float(n_runs), nan, nan, confidence)
    chosen = memberships(subsets)[0].astype(np.float64)
    share = chosen.mean(axis=0)  # over the runs, per feature; features that no run selects contribute nothing
    sizes = chosen.sum(axis=1) / n_features  # as shares of all features
    mean_size = float(sizes.mean())
    at_random = mean_size * (1.0 - mean_size)
    if at_random <= 0.0:
        return StabilityEstimate(1.0, 1.0, 1.0, confidence)
    spread = float(share @ (1.0 - share)) * n_runs / (n_runs - 1) / n_features
    value = 1.0 - spread / at_random
    # The contribution of each run to the estimate, whose variance over the runs gives that of the estimate.
    influence = (
        chosen @ share / n_features
        - sizes * mean_size
        + value / 2.0 * (2.0 * sizes * mean_size - sizes - mean_size + 1.0)
    ) / at_random
    deviation = 2.0 / n_runs * sqrt(float(np.sum((influence - influence.mean()) ** 2)))
    reach = NormalDist().inv_cdf(0.5 + confidence / 2.0) * deviation
    return StabilityEstimate(value, value - reach, value + reach, confidence)
