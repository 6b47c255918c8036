"""Feature rankings as selectors: BIF, DAF0, DAF1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np

from sweepless._checks import one_of
from sweepless.search.events import Listener
from sweepless.search.plan import named, step_options
from sweepless.search.result import Result
from sweepless.search.settings import SearchSettings
from sweepless.selectors.base import BaseSelector
from sweepless.selectors.layout import FeatureCosts, FeatureGroups, FeatureList
from sweepless.selectors.problem import Problem
from sweepless.selectors.sizes import SizeChoice, SizeRule, read_rule
from sweepless.selectors.translate import Selection, goal_settings, limit_settings

_METHODS = ("BIF", "DAF0", "DAF1")


class RankingSelector(BaseSelector):
    """Select the first features of a ranking; prefixes are valued to choose how many.

    Parameters
    ----------
    estimator : estimator or Criterion, optional
        As in `SequentialSelector`.
    method : {"BIF", "DAF0", "DAF1"}
        Best individual features: every feature valued alone. Dependency-aware features: by how much
        better random subsets are with a feature than without (DAF0), in units of the deviation (DAF1).
    n_probes : int
        Random subsets that DAF values.
    probe_sizes : (int, int)
        Their smallest and largest size.
    n_features_to_select, min_size, max_size, scoring, cv, fixed_features, excluded_features, feature_groups, \
feature_costs, max_evaluations, max_seconds, patience, tol, audit, native, n_jobs, random_state, verbose, callbacks
        As in `SequentialSelector`. Prefixes of the ranking are valued up to the largest size that may be chosen.

    Attributes
    ----------
    order_ : array of int
        The ranked features, the best first; fixed and excluded ones are not among them. None if the
        selector was stopped before the ranking was made.
    feature_scores_ : array
        What they are ranked by.

    Notes
    -----
    All other attributes and methods are those of `SequentialSelector`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sweepless import RankingSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = RankingSelector(KNeighborsClassifier(1), n_features_to_select=3).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['flavanoids', 'color_intensity', 'proline']
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: Literal["BIF", "DAF0", "DAF1"] = "BIF",
        n_features_to_select: SizeChoice = "best",
        min_size: int | None = None,
        max_size: int | None = None,
        scoring: str | Callable[..., float] | None = None,
        cv: Any = None,
        n_probes: int = 10_000,
        probe_sizes: tuple[int, int] = (1, 50),
        fixed_features: FeatureList | None = None,
        excluded_features: FeatureList | None = None,
        feature_groups: FeatureGroups | None = None,
        feature_costs: FeatureCosts | None = None,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        patience: int | None = None,
        tol: float | None = None,
        audit: Any = None,
        native: Literal["auto"] | bool = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Listener | Sequence[Listener] | None = None,
        journal: str | PathLike[str] | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.n_features_to_select = n_features_to_select
        self.min_size = min_size
        self.max_size = max_size
        self.scoring = scoring
        self.cv = cv
        self.n_probes = n_probes
        self.probe_sizes = probe_sizes
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.feature_costs = feature_costs
        self.max_evaluations = max_evaluations
        self.max_seconds = max_seconds
        self.patience = patience
        self.tol = tol
        self.audit = audit
        self.native = native
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks
        self.journal = journal

    def _settings(self, problem: Problem, max_seconds: float | None) -> tuple[SearchSettings, SizeRule]:
        limits = limit_settings(self, max_seconds)
        one_of("method", self.method, _METHODS)
        method = named(self.method)
        rule = read_rule(self.n_features_to_select, self.min_size, self.max_size, problem, tol=self.tol)
        known = step_options(method)
        probes = {name: getattr(self, name) for name in ("n_probes", "probe_sizes") if name in known}
        goal = goal_settings(method, rule, problem.layout, None, None, 1)
        return SearchSettings(method=self.method, seed=problem.seed, **goal, **limits, **probes), rule

    def _expose(self, problem: Problem, selection: Selection, result: Result) -> None:
        super()._expose(problem, selection, result)
        # A run may have been stopped before its ranking was made.
        self.order_ = None if result.order is None else problem.layout.moved(result.order)
