"""Covariances drawn towards a multiple of the identity, by a fixed share or by that of Ledoit and Wolf.

O. Ledoit, M. Wolf: A well-conditioned estimator for large-dimensional covariance matrices, 2004.
"""

from __future__ import annotations

from numbers import Real
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.kernels.discriminant.moments import pair_sums

Shrinkage: TypeAlias = Literal["auto"] | float | None

_LEAST_CORRELATION = 2.0**-30  # a sum of squared correlations below this may be zero but for rounding


def checked_shrinkage(shrinkage: object) -> None:
    """Raise unless the shrinkage is None, "auto" or a share."""
    is_number = isinstance(shrinkage, Real) and not isinstance(shrinkage, bool)
    if not (shrinkage is None or shrinkage == "auto" or (is_number and 0.0 <= shrinkage <= 1.0)):  # type: ignore[operator]
        raise InputError(f"`shrinkage` must be None, 'auto' or a number from 0 to 1, got {shrinkage!r}.")


class Neighborhood(NamedTuple):
    """The candidates' places among the members, and whether they are added there or removed."""

    slots: Counts
    direction: Direction

    def total(self, table: Values, edges: Values, corners: Values) -> Values:
        """Return the sum of a symmetric table of members with, or without, each candidate, bit for bit by the set."""
        return pair_sums(table, np.ascontiguousarray(edges.T), corners, self.slots, self.direction.adds)


class Covariances(NamedTuple):
    """Covariances of the members, and of the candidates with them, in the units of both: a matrix for each model."""

    matrices: Values  # model, 1 or candidate, member, member
    edges: Values  # model, member, candidate
    corners: Values  # model, candidate

    @staticmethod
    def correlated(matrices: Values, edges: Values) -> Covariances:
        """Return covariances in units of the deviations."""
        places = np.arange(matrices.shape[2])
        matrices[:, :, places, places] = 1.0
        return Covariances(matrices, edges, np.ones((len(edges), edges.shape[2])))

    def with_identity(self, share: float, around: Neighborhood, variances: Values, entering: Values) -> Covariances:
        """Replace a share of correlations, in each model, by the mean variance of each neighbor."""
        n_models, n_members = variances.shape
        zeros = np.zeros((n_members, entering.shape[1]))
        sums = [around.total(np.diag(variances[g]), zeros, entering[g]) for g in range(n_models)]
        added = share * np.array(sums) / (n_members + around.direction.sign)
        matrices = np.repeat((1.0 - share) * self.matrices, added.shape[1], axis=1)
        places = np.arange(n_members)
        matrices[:, :, places, places] += added[:, :, None] / variances[:, None, :]
        corners = (1.0 - share) + added / entering if around.direction.adds else self.corners
        return Covariances(matrices, (1.0 - share) * self.edges, corners)


def ledoit_wolf(
    around: Neighborhood,
    n_samples: int,
    correlations: tuple[Values, Values],
    squares: tuple[Values, Values, Values],
) -> Values:
    """Return the shrinkage of the correlations of one class for each neighbor; NaN if rounding would decide it.

    Parameters
    ----------
    correlations : pair of arrays
        Of the members, and of them with the candidates.
    squares : three arrays
        The same of squared deviations, and the sum of fourth powers of each candidate.
    """
    size = len(correlations[0]) + around.direction.sign
    if size == 1:
        return np.zeros(len(around.slots))
    apart = correlations[0] ** 2
    np.fill_diagonal(apart, 0.0)
    # The sum of squared correlations between different features, and that of all products of squared deviations.
    off = around.total(apart, correlations[1] ** 2, np.zeros(len(around.slots)))
    fourth = around.total(*squares)
    noise = (n_samples * fourth - (off + size)) / n_samples
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(noise == 0.0, 0.0, np.minimum(noise, off) / off)
    return np.where(off > _LEAST_CORRELATION * size, found, np.nan)
