"""`consensus=n`: a selector that searches n resamples and selects what most of the searches do."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from sweepless._typing import Features
from sweepless._workers import tied_to_us
from sweepless.direction import Direction
from sweepless.errors import InputError, SaturationWarning
from sweepless.search.saturation import saturation
from sweepless.search.stop import StopReason
from sweepless.selectors.layout import Layout
from sweepless.selectors.problem import Problem
from sweepless.validation.repeats import seeded
from sweepless.validation.resampling import ResampledRun, ResampledRuns, resamples


def refuse_single(selector: Any) -> None:
    """Raise if a selector asks for a consensus, and for what only one search can have."""
    for name, why in (("journal", "record one search"), ("callbacks", "follow one search")):
        if getattr(selector, name) is not None:
            raise InputError(f"`{name}` must be None with `consensus`, because it would {why} of many, got both.")
    if selector._resumed is not None:
        raise InputError("`consensus` must be None to resume a search, because a journal records only one, got both.")
    if selector.n_features_to_select == "auto" and selector.tol is not None:
        raise InputError("`tol` must be None for 'auto' with `consensus`, because every search would end elsewhere.")


def resampled_runs(
    selector: Any, problem: Problem, direction: Direction, X: Any, y: Any, params: Mapping[str, Any]
) -> ResampledRuns:
    """Repeat the search of a selector on resamples of the rows that it may see, `n_jobs` of them at a time."""
    n_runs, n_jobs = selector.consensus, selector.n_jobs
    rows = np.arange(problem.data.n_samples) if problem.rows is None else np.asarray(problem.rows)
    groups = None if params.get("groups") is None else np.asarray(params["groups"])[rows]
    drawn = resamples(problem.data, problem.seed, n_runs, groups)
    one = seeded(selector, 0).set_params(consensus=None, audit=None, n_jobs=None)
    if one.n_features_to_select in ("1se", "audit"):  # the size is chosen afterwards
        one.set_params(n_features_to_select="best")
    if problem.panel is not None:  # the panel has chosen once, for all resamples
        one.set_params(estimator=problem.chosen.criterion, cv=None, scoring=None, judge=None)
        if one.method == "auto":
            one.set_params(method=problem.method, budget=problem.budget if one.budget == "auto" else one.budget)
        if one.n_features_to_select is None:
            one.set_params(n_features_to_select="best")
    if selector.max_evaluations is not None:
        one.set_params(max_evaluations=max(1, selector.max_evaluations // n_runs))
    if selector.max_seconds is not None:
        one.set_params(max_seconds=selector.max_seconds * min(effective_n_jobs(n_jobs), n_runs) / n_runs)
    workers = Parallel(n_jobs=n_jobs, return_as="generator", verbose=10 * bool(selector.verbose), **tied_to_us())
    searches = workers(
        delayed(_run)(one, problem.layout, direction, X, y, params, seed, rows[part]) for seed, part in drawn
    )
    runs = []
    for run in searches:
        runs.append(run)
        if run.stop_reason is StopReason.INTERRUPTED:
            break
    return ResampledRuns(runs, problem.layout.n_units)


def _run(
    selector: Any,
    layout: Layout,
    direction: Direction,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
    seed: int,
    rows: Features,
) -> ResampledRun:
    """Fit a clone to some rows, and keep what it found in terms of units."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SaturationWarning)  # said once for all
        fitted = seeded(selector, seed).fit(
            _safe_indexing(X, rows),
            None if y is None else _safe_indexing(y, rows),
            **_check_method_params(X, dict(params), rows),
        )
    subsets = [layout.units_of(subset.features, "subsets_") for subset in fitted.subsets_.values()]
    scores = fitted.feature_scores_
    return ResampledRun(
        {len(units): units for units in subsets},
        None if scores is None else layout.gather(np.nan_to_num(scores)),
        fitted.anatomy_,
        StopReason(fitted.stop_reason_),
        saturation(fitted.trace_, direction, fitted.best_size_),
    )
