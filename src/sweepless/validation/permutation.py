"""What the same search finds in noise: the reference of shuffled labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from sweepless._checks import whole
from sweepless._typing import Features, Values
from sweepless._workers import tied_to_us
from sweepless.engine.portable import PortableRng
from sweepless.errors import InputError
from sweepless.validation.repeats import params_for, repetition, run_seeds, seed_of, shuffled_rows, taken_apart


@dataclass(frozen=True)
class PermutationReference:
    """Values that a search reaches on the labels as they are, and on shuffled ones.

    Attributes
    ----------
    sizes : array of int
        The sizes that the observed search and at least one other recorded.
    observed : array
        Its best value at each of these.
    shuffled : array, one row per shuffle and one column per size
        The best values found in noise; nan where a search did not meet the size.
    best_observed : float
    best_shuffled : array
        The best value of each search, over all the sizes it met.
    """

    sizes: Features
    observed: Values
    shuffled: Values
    best_observed: float
    best_shuffled: Values

    def __repr__(self) -> str:
        noise = self.best_shuffled
        return (
            f"PermutationReference(best value {self.best_observed:.6g}; in noise {noise.min():.6g} to "
            f"{noise.max():.6g} over {len(noise)} shuffles; p = {self.p_value:.3g}; {len(self.sizes)} sizes)"
        )

    @property
    def mean(self) -> Values:
        """The mean value in noise at each size."""
        return np.asarray(np.nanmean(self.shuffled, axis=0))

    def quantile(self, q: float) -> Values:
        """Return a quantile of the values in noise at each size."""
        return np.asarray(np.nanquantile(self.shuffled, q, axis=0))

    @property
    def p_values(self) -> Values:
        """At each size, the share of searches that reached the observed value, itself counted: (1+c)/(1+n)."""
        reached = np.count_nonzero(self.shuffled >= self.observed, axis=0)
        return np.asarray((1 + reached) / (1 + np.count_nonzero(~np.isnan(self.shuffled), axis=0)))

    @property
    def p_value(self) -> float:
        """The same for the best value of all sizes, because a search in noise may choose its size, too."""
        return (1 + int(np.count_nonzero(self.best_shuffled >= self.best_observed))) / (1 + len(self.best_shuffled))


def permutation_reference(
    selector: Any,
    X: Any,
    y: Any,
    n_shuffles: int = 20,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    **fit_params: Any,
) -> PermutationReference:
    """Run the same search on shuffled labels, to see what its values are worth.

    A search maximizes its criterion, so its best value is high even where there is nothing to find. The
    reference shows how high. The least p-value that n shuffles can give is 1/(1+n).

    Parameters
    ----------
    selector : selector with `subsets_`, or a Pipeline with one among its steps
        Clones of it are run, one on the labels as they are; it is left alone. All have its own seed, or
        one drawn from `random_state` if that is not an integer.
    X, y : training data
    n_shuffles : int
    random_state : int, RandomState or None
        Fixes the shuffles; more of them leave the first ones as they were.
    n_jobs : int, optional
        Searches at a time, through joblib; the result does not depend on it.
    **fit_params
        Passed on to `fit`; with `groups`, labels are shuffled within each group.

    Returns
    -------
    PermutationReference

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import SequentialSelector, permutation_reference
    >>> from sweepless.criteria import KNN
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = SequentialSelector(KNN(), method="SFS", max_size=3, random_state=0)
    >>> reference = permutation_reference(selector, X, y, n_shuffles=5, random_state=0)
    >>> round(reference.best_observed, 2), round(float(reference.best_shuffled.mean()), 2)
    (0.97, 0.37)
    """
    whole("n_shuffles", n_shuffles, 1)
    if y is None:
        raise InputError("`y` must be given for its labels to be shuffled, got None.")
    base = seed_of(random_state)
    _, name, inner = taken_apart(selector)
    fit_params = params_for(name, fit_params)
    own = inner.get_params(deep=False).get("random_state")
    seed = seed_of(own) if isinstance(own, (int, np.integer)) else base
    labels = np.asarray(y)
    groups = fit_params.get("groups")
    seeds = run_seeds(base, n_shuffles)
    orders = [shuffled_rows(len(labels), groups, PortableRng(shuffle, "split")) for shuffle in seeds]
    curves = Parallel(n_jobs=n_jobs, **tied_to_us())(
        delayed(_curve)(selector, X, target, seed, fit_params) for target in (y, *(labels[order] for order in orders))
    )
    observed, noise = curves[0], curves[1:]
    sizes = np.array(sorted(observed.keys() & set().union(*noise)), dtype=np.intp)
    return PermutationReference(
        sizes=sizes,
        observed=np.array([observed[size] for size in sizes.tolist()]),
        shuffled=np.array([[curve.get(size, np.nan) for size in sizes.tolist()] for curve in noise]),
        best_observed=max(observed.values()),
        best_shuffled=np.array([max(curve.values()) for curve in noise]),
    )


def _curve(selector: Any, X: Any, y: Any, seed: int, fit_params: Mapping[str, Any]) -> Mapping[int, float]:
    """Return the best value of every size of one search."""
    values = repetition(selector, X, y, seed, fit_params=fit_params).values
    if not values:
        raise InputError(f"`selector` must record `subsets_` with their values, got {selector!r}.")
    return values
