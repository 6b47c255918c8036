"""Normal models of the classes: how those of all neighbors of a subset score held-out samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.discriminant.shrinkage import Covariances, Neighborhood
from sweepless.kernels._lanes import aligned
from sweepless.kernels.discriminant.elimination import WIDTH, score_neighbors

# Rounding of a score in units of its magnitude, for a covariance of condition 1: ours and that of the estimator.
_ROUNDING = 2.0**-47


class Side(NamedTuple):
    """Some features as the models see them, members or candidates: a row for each model."""

    units: Values  # model, feature: what it is divided by
    offsets: Values  # model, feature: how far it is from zero, in these units
    tested: Values  # model, feature, sample: held-out values around the center, in these units
    centers: Values  # model, feature, class: class means around it, in these units; none for a model per class


class Scored(NamedTuple):
    """What the models of all neighbors say.

    Attributes
    ----------
    scores : array of shape (candidate, class, sample)
        Log posteriors but for a term that all classes of a sample share.
    doubts : array of shape (candidate,)
        How far scores may be off by rounding, ours or the estimator's, in units of their magnitude.
    inverses : array of shape (candidate,)
        A bound on the greatest eigenvalue of all inverse covariances.
    centers : array of shape (candidate, feature, class)
        The centers of the classes in units of the covariance; none for a model per class.
    """

    scores: Values
    doubts: Values
    inverses: Values
    centers: Values


def score(
    around: Neighborhood,
    found: Covariances,
    members: Side,
    entering: Side,
    priors: Values,
    *,
    divides: bool,
    centers: bool,
    decomposes: bool = False,
    weighs: bool = False,
) -> Scored:
    """Return the scores of the models with, or without, each candidate.

    Parameters
    ----------
    around : Neighborhood
        With ascending places.
    found : Covariances
    members, entering : Side
    priors : array
        The probabilities of the classes.
    divides : bool
        Whether the estimator divides features by their units, too: then these matter neither for the inverse nor for
        its rounding.
    centers : bool
        Whether it subtracts centers from features before it multiplies them.
    decomposes : bool
        Whether it decomposes the samples, whose condition is the root of that of the covariance. Ours is in units of
        the features, so that its condition does not depend on their scales.
    weighs : bool
        Whether to eliminate for the weights of the features, which are fewer than the held-out samples, and to weigh
        these afterwards. That is for additions to a linear model, and its roundings depend on the other candidates.
    """
    n_models, n_members, n_samples = members.tested.shape
    n_tested = 0 if weighs else n_samples
    n_candidates, adds = len(around.slots), around.direction.adds
    size = n_members + around.direction.sign
    scales, new_scales = (np.ones_like(side.units) if divides else side.units for side in (members, entering))
    with np.errstate(all="ignore"):  # features that do not vary or overflow have no value
        n_zeros = 0 if weighs else -(n_members + 1 + n_tested + members.centers.shape[2]) % WIDTH
        tested = slice(n_members + 1 + n_zeros, n_members + 1 + n_zeros + n_tested)
        right = np.zeros((n_models, n_members, tested.stop + members.centers.shape[2]))
        places = np.arange(n_members)
        right[:, places, places] = 1.0
        right[:, :, tested] = members.tested[:, :, :n_tested]
        right[:, :, tested.stop :] = members.centers
        edge_right = np.zeros((n_models, n_candidates, right.shape[2] if adds else 0))
        if adds:
            edge_right[:, :, n_members] = 1.0
            edge_right[:, :, tested] = entering.tested[:, :, :n_tested]
            edge_right[:, :, tested.stop :] = entering.centers
        scores = np.empty((n_candidates, len(priors), n_members + 1 if weighs else n_tested))
        inverses = np.empty((2, n_models, n_candidates))
        whitened = np.empty((n_candidates, size, members.centers.shape[2]))
        n_columns = n_members + -n_members % WIDTH + right.shape[2]
        work = (
            aligned(n_members, n_columns, np.float64),
            aligned(n_members + 1, n_columns, np.float64),
            np.empty((2, max(1, whitened.shape[2]), scores.shape[2])),
            np.empty((2, tested.stop)),
        )
        work[0][:] = work[1][:] = 0.0  # also where nobody looks, but numbers are multiplied
        score_neighbors(
            found.matrices,
            right,
            members.units,
            scales,
            np.ascontiguousarray(found.edges.swapaxes(1, 2)),
            found.corners,
            edge_right,
            entering.units,
            new_scales,
            around.slots,
            adds,
            weighs,
            priors,
            scores,
            inverses,
            whitened,
            work,
        )
        if weighs:
            offsets = np.log(priors) - 0.5 * np.einsum("mkc,mkc->mc", whitened, whitened)
            scores = _weighed(scores, members.tested[0], entering.tested[0], offsets)
        inverses *= size
        top, offsets = _greatest(around, scales, new_scales), _greatest(around, members.offsets, entering.offsets)
        condition = top * np.sqrt(inverses[0]) + inverses[1] if decomposes else top**2 * inverses[0]
        doubts = rounding(size, condition, offsets, centers=centers)
    return Scored(scores, doubts.max(axis=0), inverses[0].max(axis=0), whitened)


def _weighed(weights: Values, members: Values, entering: Values, offsets: Values) -> Values:
    """Return scores of held-out samples, of which the candidate's values have the last weight."""
    n_candidates, n_classes, size = weights.shape
    sums = weights[:, :, :-1].reshape(n_candidates * n_classes, size - 1) @ members
    scores = sums.reshape(n_candidates, n_classes, -1)
    scores += weights[:, :, -1:] * entering[:, None]
    scores += offsets[:, :, None]
    return scores


def rounding(size: int, condition: Values, offsets: Values, *, centers: bool) -> Values:
    """Bound the rounding of scores in units of their magnitude, by the condition and the greatest offsets."""
    distance = np.sqrt(float(size)) * offsets
    return np.asarray(_ROUNDING * condition * (1.0 + (distance if centers else distance**2)))


def _greatest(around: Neighborhood, members: Values, entering: Values) -> Values:
    """Return the greatest number of each neighbor: (model, candidate)."""
    if around.direction.adds:
        return np.asarray(np.maximum(members.max(axis=1, initial=0.0)[:, None], entering))
    left = [np.delete(members, slot, axis=1).max(axis=1, initial=0.0) for slot in around.slots.tolist()]
    return np.stack(left, axis=1)
