"""What a selector finds again and again: frequencies, stability, interchangeable features, a consensus subset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from sweepless._checks import whole
from sweepless._typing import Features, Mask, Values
from sweepless._workers import tied_to_us
from sweepless.engine.portable import PortableRng
from sweepless.errors import InputError
from sweepless.stability import Stability, stability
from sweepless.validation.interchange import interchangeable_groups
from sweepless.validation.repeats import (
    Repetition,
    choices,
    draw_rows,
    repetition,
    run_seeds,
    taken_apart,
)

_MOST_SHOWN = 15  # features in the text of a consensus


@dataclass(frozen=True)
class Consensus:
    """What repeated runs of a selector agree on.

    Attributes
    ----------
    runs : tuple of Repetition
    subsets : tuple of arrays of int
        The subset of every run that was compared.
    n_features_in : int
    size : int
        Of the consensus subset unless another is asked for: the size that was compared, or the median of
        the sizes that the runs chose.
    frequencies : array
        Share of the runs that selected each feature.
    stability : Stability
        Agreement of the runs, feature by feature.
    interchangeable : tuple of arrays of int
        Groups of features that take each other's place, the most often used group first.
    group_stability : Stability
        Agreement of the runs when the members of a group count as one feature. Where it is much the
        greater, the runs differ in the choice among equals rather than in what they found.
    order : array of int
        The features that some run selected, the most wanted first.
    feature_names : tuple of str or None
    """

    runs: tuple[Repetition, ...]
    subsets: tuple[Features, ...]
    n_features_in: int
    size: int
    frequencies: Values
    stability: Stability
    interchangeable: tuple[Features, ...]
    group_stability: Stability
    order: Features
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        lines = [
            f"Consensus of {len(self.runs)} runs: {self.size} of {self.n_features_in:,} features",
            f"  stability {self._stability(self.stability)}",
            f"  where interchangeable features count as one {self._stability(self.group_stability)}",
        ]
        listed = self.order[: min(self.size, _MOST_SHOWN)]
        for name, feature in zip(self.names(listed), listed, strict=True):
            lines.append(f"  {self.frequencies[feature]:>4.0%} of the runs  {name}")
        if self.size > len(listed):
            lines.append(f"  … and {self.size - len(listed)} more in `features`")
        return "\n".join(lines)

    @staticmethod
    def _stability(found: Stability) -> str:
        nogueira = found.nogueira
        return f"{nogueira.value:.2f} [{nogueira.low:.2f}, {nogueira.high:.2f}] (Nogueira), {found.ati:.2f} (ATI)"

    def support(self, k: int | None = None) -> Mask:
        """Return the mask of the consensus subset of a size.

        A group of interchangeable features competes as one, with the share of runs that selected any of
        it, and is represented by its most frequent member; its other members come after all groups and
        single features. Equal frequencies are ordered by the mean score that the runs learned, then by
        the mean value of the subsets with the feature, then by index.
        """
        size = whole("k", self.size if k is None else k, 1, len(self.order))
        mask = np.zeros(self.n_features_in, dtype=np.bool_)
        mask[self.order[:size]] = True
        return mask

    @property
    def features(self) -> Features:
        """The consensus subset, ascending."""
        return np.flatnonzero(self.support())

    def names(self, features: Features) -> list[str]:
        """Return the names of features, or their numbers as text."""
        names = self.feature_names
        return [str(feature) if names is None else names[feature] for feature in np.asarray(features).tolist()]


def consensus(
    selector: Any,
    X: Any,
    y: Any = None,
    n_runs: int = 10,
    *,
    n_features: int | None = None,
    resample: float | None = 0.8,
    min_correlation: float = 0.8,
    random_state: Any = None,
    n_jobs: int | None = None,
    **fit_params: Any,
) -> Consensus:
    """Repeat a selection over seeds and resamples, and find what stays.

    Parameters
    ----------
    selector : selector
        Clones of it are run; it is not changed itself. Any scikit-learn selector will do, and a Pipeline with one
        among its steps: then its last selector counts, and features are those it chooses from.
    X, y : training data
    n_runs : int
    n_features : int, optional
        Compare the runs' best subsets of this size; by default, the subset that each run chose.
    resample : float or None
        Share of the rows that each run sees, drawn without replacement and in proportion to the labels;
        None shows all the data to every run, so that only the seeds differ.
    min_correlation : float
        From which absolute correlation on two features can be interchangeable; they are if, besides, at
        most half as many runs select both as would by chance.
    random_state : int, RandomState or None
        Fixes the seed and the rows of every run: selectors with the same one are compared in pairs, and
        more runs leave the first ones as they were.
    n_jobs : int, optional
        Runs at a time, through joblib; the result does not depend on it.
    **fit_params
        Passed on to `fit`; what has one entry per row is resampled with the rows.

    Returns
    -------
    Consensus

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sweepless import SequentialSelector, consensus
    >>> from sweepless.criteria import RidgeCriterion
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = SequentialSelector(RidgeCriterion(score="class_r2"), max_size=4, random_state=0)
    >>> agreed = consensus(selector, X, y, n_runs=5, n_features=3, random_state=0)
    >>> agreed.features.tolist(), round(agreed.stability.nogueira.value, 2)
    ([6, 9, 12], 1.0)
    """
    whole("n_runs", n_runs, 2)
    if resample is not None and not 0.0 < resample <= 1.0:
        raise InputError(f"`resample` must be a share above 0 and up to 1, or None, got {resample!r}.")
    front, _, _ = taken_apart(selector)
    seeds = run_seeds(random_state, n_runs)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    rows = [
        None if resample is None else draw_rows(n_samples, y, resample, PortableRng(seed, "split")) for seed in seeds
    ]
    runs = Parallel(n_jobs=n_jobs, **tied_to_us())(
        delayed(repetition)(selector, X, y, seed, part, fit_params) for seed, part in zip(seeds, rows, strict=True)
    )
    table, _ = choices(front, X, y)
    return agreement(runs, table, n_features=n_features, min_correlation=min_correlation)


def agreement(
    runs: Sequence[Repetition], X: Any, *, n_features: int | None = None, min_correlation: float = 0.8
) -> Consensus:
    """Read the consensus of runs that were made already, at another size for instance.

    Parameters
    ----------
    runs : sequence of Repetition
        Such as the `runs` of a Consensus.
    X : training data
        As the selector sees it: behind the steps in front of it, if it was one of a pipeline.
    n_features, min_correlation : as in `consensus`
    """
    if not 0.0 < min_correlation <= 1.0:
        raise InputError(f"`min_correlation` must be above 0 and up to 1, got {min_correlation!r}.")
    X = X if hasattr(X, "shape") else np.asarray(X)
    names = _common_names(runs, X)
    subsets = [_subset(run, n_features) for run in runs]
    used = np.unique(np.concatenate(subsets))
    table = np.array([np.isin(used, subset) for subset in subsets])
    keys = (used, *_preferences(runs, table, used, n_features))
    by_frequency = np.lexsort((*keys, -table.sum(axis=0)))
    groups = interchangeable_groups(table, used, X, by_frequency, min_correlation)

    heads = np.arange(len(used))  # every feature is represented by itself, or by the most frequent of its group
    place = np.argsort(by_frequency)
    for group in groups:
        heads[group] = group[np.argmin(place[group])]
    united = np.array([np.bincount(heads, row, len(used)) > 0 for row in table])
    leads = heads == np.arange(len(used))
    wanted = np.where(leads, united.sum(axis=0), table.sum(axis=0))
    order = np.lexsort((*keys, -wanted, ~leads))

    n_all = X.shape[1]
    merged = n_all - int((~leads).sum())
    frequencies = np.zeros(n_all)
    frequencies[used] = table.mean(axis=0)
    return Consensus(
        runs=tuple(runs),
        subsets=tuple(subsets),
        n_features_in=n_all,
        size=min(len(used), int(np.median([len(subset) for subset in subsets]))),
        frequencies=frequencies,
        stability=stability(subsets, n_all),
        interchangeable=tuple(used[group] for group in sorted(groups, key=lambda g: -wanted[heads[g[0]]])),
        group_stability=stability(list(united[:, leads]), merged),
        order=used[order],
        feature_names=names,
    )


def _common_names(runs: Sequence[Repetition], X: Any) -> tuple[str, ...] | None:
    """Return the names of the features that all runs chose from, if they have some; raise if they are not the same."""
    names = getattr(X, "columns", None)
    seen = {run.columns for run in runs if run.columns} or {X.shape[1] if names is None else tuple(map(str, names))}
    common = next(iter(seen))
    n_columns = common if isinstance(common, int) else len(common)
    if len(seen) > 1 or n_columns != X.shape[1]:
        raise InputError(
            "every run must see the same columns to be compared, but the steps in front of the selector made others "
            "of the rows of one run."
        )
    return None if isinstance(common, int) else common


def _subset(run: Repetition, size: int | None) -> Features:
    if size is None:
        return run.features
    if size not in run.subsets:
        raise InputError(
            f"`n_features` must be a size that every run recorded a subset of, got {size!r} where the run of seed "
            f"{run.seed} recorded {min(run.subsets)} to {max(run.subsets)}."
        )
    return run.subsets[size]


def _preferences(runs: Sequence[Repetition], table: Mask, used: Features, size: int | None) -> tuple[Values, Values]:
    """Return what decides between equal frequencies, smaller is better: mean value, and before it mean score."""
    scores = [run.scores[used] for run in runs if run.scores is not None]
    values = np.array([run.value if size is None else run.values.get(size, np.nan) for run in runs])
    mean_value = np.nan_to_num(values) @ table / table.sum(axis=0)
    return -mean_value, -np.mean(scores, axis=0) if scores else np.zeros(len(used))
