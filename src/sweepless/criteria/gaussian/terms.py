"""The terms of distances between normal models, and how one feature changes each of them.

Every distance is a weighted sum of log determinants, quadratic forms of mean differences and traces, each
over a mixture of the class covariances. A recipe lists them; both the definition and the fast computation follow it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.schur import Change, Factor
from sweepless.direction import Direction


@dataclass
class Recipe:
    """The terms of one distance."""

    n_classes: int
    mixtures: list[Values] = field(default_factory=list)  # weights of the class covariances
    determinants: list[float] = field(default_factory=list)  # weight of each mixture's log determinant
    forms: list[tuple[int, int, int, float]] = field(default_factory=list)  # mixture, two classes, weight
    traces: list[tuple[int, int, float]] = field(default_factory=list)  # inverse mixture, mixture, weight
    per_feature: float = 0.0

    def mixture(self, weights: Values) -> int:
        """Add a mixture and return its number."""
        self.mixtures.append(weights)
        self.determinants.append(0.0)
        return len(self.mixtures) - 1


class Batch(NamedTuple):
    """Candidates: mixed covariances with the members, mixed variances, class means."""

    direction: Direction
    places: Features  # of the members to remove
    products: Values  # mixture, member, candidate
    variances: Values  # mixture, candidate
    means: Values  # class, candidate


class Mixtures:
    """The factorized mixed covariances of one subset, with every term and its change by a candidate."""

    def __init__(self, recipe: Recipe, mixed: Values, means: Values, n_samples: int) -> None:
        self.recipe, self.mixed, self.means = recipe, mixed, means
        self.scales = 1.0 / np.sqrt(np.einsum("kii->ki", mixed))
        self.factors = []
        for matrix, scale in zip(mixed, self.scales, strict=True):
            unit = matrix * scale * scale[:, None]
            np.fill_diagonal(unit, 1.0)
            self.factors.append(Factor(unit, n_samples))

    def values(self, batch: Batch) -> tuple[Values, Values]:
        """Return the distance of every neighbor and a bound on its error."""
        recipe, sign = self.recipe, batch.direction.sign
        changes = [self._change(k, batch) for k in range(len(self.factors))]
        n_candidates = batch.variances.shape[1]
        values = np.full(n_candidates, recipe.per_feature * (len(self.means.T) + sign))
        errors = np.zeros(n_candidates)
        terms = [(weight, self._log(k, batch, changes[k])) for k, weight in enumerate(recipe.determinants) if weight]
        terms += [(weight, self._form(k, i, j, batch, changes[k])) for k, i, j, weight in recipe.forms]
        terms += [(weight, self._trace(k, other, batch, changes[k])) for k, other, weight in recipe.traces]
        for weight, (value, error) in terms:
            values += weight * value
            errors += abs(weight) * (error + 2.0**-48 * np.abs(value))
        return values, errors

    def _change(self, k: int, batch: Batch) -> Change:
        if batch.direction.adds:
            return self.factors[k].grow(batch.products[k] * self.scales[k][:, None] * batch.variances[k] ** -0.5)
        return self.factors[k].shrink(batch.places)

    def _log(self, k: int, batch: Batch, change: Change) -> tuple[Values, Values]:
        factor = self.factors[k]
        # An added pivot is sigma times the variance; a removed pivot is the variance over sigma.
        pivots = np.log(batch.variances[k]) + change.sign * np.log(change.sigma)
        base = 2.0 * np.sum(np.log(factor.root.diagonal()) - np.log(self.scales[k]))
        errors = factor.noise * (factor.norm + change.growth + change.reach**2 / change.sigma)
        # Logarithms of large and small pivots may cancel, and each is exact only to its own last digit.
        digits = 2.0**-48 * (np.sum(np.abs(np.log(self.scales[k]))) + np.abs(pivots))
        return base + change.sign * pivots, change.guarded(errors + digits)

    def _form(self, k: int, i: int, j: int, batch: Batch, change: Change) -> tuple[Values, Values]:
        factor = self.factors[k]
        gap = (self.means[i] - self.means[j]) * self.scales[k]
        weights = factor.solve(gap[:, None])[:, 0]
        if batch.direction.adds:
            steps = (batch.means[i] - batch.means[j]) * batch.variances[k] ** -0.5 - gap @ change.columns
        else:
            steps = weights[batch.places]
        length = float(np.sqrt(weights @ weights))
        moved = np.abs(steps) * change.reach / change.sigma
        # The form before, the form from scratch after, the step, and the complement.
        errors = factor.noise * (length**2 + (length + moved) ** 2 + 2.0 * moved * length + moved**2)
        errors += 2.0**-48 * np.abs(steps) / change.sigma * (np.abs(gap) @ np.abs(change.columns) + np.abs(steps))
        return float(gap @ weights) + change.sign * steps**2 / change.sigma, change.guarded(errors)

    def _trace(self, k: int, other: int, batch: Batch, change: Change) -> tuple[Values, Values]:
        factor, scale = self.factors[k], self.scales[k]
        matrix = self.mixed[other] * scale * scale[:, None]
        columns = change.columns
        spread = matrix @ columns
        steps = np.einsum("ik,ik->k", columns, spread)
        size = float(np.trace(matrix)) + np.zeros(columns.shape[1])  # bounds the norm: no eigenvalue is negative
        if batch.direction.adds:
            entering = batch.products[other] * scale[:, None] * batch.variances[k] ** -0.5
            alone = batch.variances[other] / batch.variances[k]
            steps = steps - 2.0 * np.einsum("ik,ik->k", columns, entering) + alone
            size += alone
        steps = np.maximum(steps, 0.0)
        sandwich = factor.inverse @ matrix @ factor.inverse
        length = float(np.sqrt(np.sqrt(np.sum(sandwich**2))))
        moved = np.sqrt(steps) * change.reach / change.sigma
        errors = length**2 + (length + moved) ** 2 + 2.0 * moved * length + moved**2
        # Entries of the other matrix are off by their own last digits: its trace stands for d unit variances.
        errors = errors + size / (factor.size + 2) * (change.growth + change.reach**2 / change.sigma)
        base = float(np.sum(factor.inverse * matrix))
        return base + change.sign * steps / change.sigma, change.guarded(factor.noise * errors)
