"""One selector fitted many times: the seeds, the rows, and the subsets of every run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_random_state

from sweepless._phrases import shortened_list
from sweepless._typing import AnyArray, Features, Values
from sweepless.engine.generator import Rng
from sweepless.engine.portable import PortableRng
from sweepless.errors import AuditWarning, InputError, SaturationWarning

# These belong to one fit: a repetition must not write to the same journal or drive the same bar.
_PERSONAL: dict[str, Any] = {"journal": None, "callbacks": None, "verbose": 0}


@dataclass(frozen=True)
class Repetition:
    """What one of several runs found.

    Attributes
    ----------
    seed : int
    features : array of int
        The subset that the run chose.
    value : float
        Its criterion value; nan if the selector has none.
    subsets : mapping of int to array of int
        Its best subset of every size it met; the chosen one alone if the selector keeps no others.
    values : mapping of int to float
        The criterion value of each of these; empty if the selector has none.
    scores : array or None
        What it learned about every feature.
    columns : tuple of str, or int
        The features that it chose from: their names if they have some, else their number; 0 if that is unknown.
    """

    seed: int
    features: Features
    value: float
    subsets: Mapping[int, Features]
    values: Mapping[int, float]
    scores: Values | None
    columns: tuple[str, ...] | int = 0

    def __repr__(self) -> str:
        return (
            f"Repetition(seed {self.seed}: value {self.value:.6g} with {len(self.features)} features "
            f"({shortened_list(self.features.tolist())}))"
        )


def taken_apart(given: Any) -> tuple[Any, str, Any]:
    """Return the steps of a pipeline in front of its last selector, the selector's name there, and the selector.

    A selector by itself has None in front, and no name.
    """
    if isinstance(given, Pipeline):
        places = [k for k, (_, step) in enumerate(given.steps) if hasattr(step, "get_support")]
        if places:
            name, selector = given.steps[places[-1]]
            return given[: places[-1]] if places[-1] else None, name, selector
    elif hasattr(given, "get_support"):
        return None, "", given
    raise InputError(
        f"`selector` must be a feature selector, or a Pipeline with one among its steps, got {type(given).__name__}."
    )


def params_for(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `fit` for the selector: as they are, or by the name of its step in a pipeline."""
    return {key.removeprefix(f"{name}__") if name else key: value for key, value in params.items()}


def choices(front: Any, X: Any, y: Any) -> tuple[Any, tuple[str, ...] | int]:
    """Return the features that a selector chooses from, behind the steps in front of it, and their names or number."""
    names = getattr(X, "columns", None)
    if front is not None:
        fitted = clone(front)
        X = fitted.fit_transform(X, y)
        with suppress(AttributeError):  # not every transformer knows what it makes
            names = fitted.get_feature_names_out()
    if names is None:
        return X, int(X.shape[1] if hasattr(X, "shape") else np.shape(X)[1])
    return X, tuple(str(name) for name in names)


def repetition(
    selector: Any, X: Any, y: Any, seed: int, rows: Features | None = None, fit_params: Mapping[str, Any] | None = None
) -> Repetition:
    """Fit a clone with its own seed on some rows, and keep what it found; of a pipeline, up to its selector."""
    front, name, selector = taken_apart(selector)
    params = params_for(name, fit_params or {})
    if rows is not None:
        n_samples = len(y) if y is not None else X.shape[0]
        X = _safe_indexing(X, rows)
        y = None if y is None else _safe_indexing(y, rows)
        params = {name: _safe_indexing(p, rows) if _is_per_row(p, n_samples) else p for name, p in params.items()}
    with warnings.catch_warnings():
        for kind in (AuditWarning, SaturationWarning):  # once per run, and certain where labels are shuffled
            warnings.simplefilter("ignore", kind)
        X, columns = choices(front, X, y)
        fitted = seeded(selector, seed).fit(X, y, **params)
    features = np.flatnonzero(fitted.get_support())
    value = float(getattr(fitted, "best_score_", np.nan))
    kept = getattr(fitted, "subsets_", None)
    if kept is None:
        subsets, values = {len(features): features}, {}
    else:  # sizes may count groups of features, so they are taken as the selector gives them
        subsets = {size: np.asarray(found.features) for size, found in kept.items()}
        values = {size: float(found.value) for size, found in kept.items()}
    scores = getattr(fitted, "feature_scores_", None)
    return Repetition(seed, features, value, subsets, values, None if scores is None else np.asarray(scores), columns)


def seeded(selector: Any, seed: int) -> Any:
    """Clone a selector for one run of several."""
    copy = clone(selector)
    own = copy.get_params(deep=False)
    given = _PERSONAL | {"random_state": seed}
    return copy.set_params(**{name: value for name, value in given.items() if name in own})


def run_seeds(random_state: Any, n_runs: int) -> list[int]:
    """Return one seed per run; more runs leave the first ones as they were."""
    rng = PortableRng(seed_of(random_state), "start")
    return [rng.below(2**31 - 1) for _ in range(n_runs)]


def seed_of(random_state: Any) -> int:
    """Return a seed for what scikit-learn calls a random state: an integer is its own."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def draw_rows(n_samples: int, y: Any, share: float, rng: Rng) -> Features:
    """Draw a share of the rows without replacement, in ascending order.

    Every distinct label gets its share, rounded down, and rows drawn from all that are left make up the
    total: classes keep their proportions, and targets that never repeat are drawn at random.
    """
    chosen = np.zeros(n_samples, dtype=np.bool_)
    if y is not None:
        labels = _codes(np.asarray(y))
        for label, count in enumerate(np.bincount(labels)):
            if (wanted := int(share * count)) > 0:
                chosen[rng.pick(labels == label, wanted)] = True
    chosen[rng.pick(~chosen, round(share * n_samples) - int(chosen.sum()))] = True
    return np.flatnonzero(chosen)


def shuffled_rows(n_samples: int, groups: Any, rng: Rng) -> Features:
    """Return the rows in random order; within each group if there are groups."""
    rows = np.argsort(rng.uniforms(n_samples), kind="stable")
    if groups is None:
        return rows
    codes = _codes(np.asarray(groups))
    order = np.empty(n_samples, dtype=np.intp)
    order[np.argsort(codes, kind="stable")] = rows[np.argsort(codes[rows], kind="stable")]
    return order


def _codes(labels: AnyArray) -> Features:
    """Number the distinct labels, or distinct rows of labels, in order of appearance."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(tuple(np.atleast_1d(label)), len(numbers)) for label in labels], dtype=np.intp)


def _is_per_row(param: Any, n_samples: int) -> bool:
    return hasattr(param, "__len__") and not isinstance(param, (str, Mapping)) and len(param) == n_samples
