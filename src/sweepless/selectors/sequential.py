"""Sequential feature selection, as scikit-learn users know how to use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sweepless._checks import whole
from sweepless._typing import Values
from sweepless.criteria.base import Criterion
from sweepless.errors import InputError
from sweepless.search.budget import Budget
from sweepless.search.events import Listener
from sweepless.search.methods import Method
from sweepless.search.plan import named
from sweepless.search.proposal import Proposal
from sweepless.search.settings import SearchSettings
from sweepless.search.warm_up import WarmUp
from sweepless.selectors.base import BaseSelector
from sweepless.selectors.layout import FeatureCosts, FeatureGroups, FeatureList, Layout, indices_of
from sweepless.selectors.problem import Problem, names_of
from sweepless.selectors.sizes import SizeChoice, SizeRule, read_rule
from sweepless.selectors.translate import directed, goal_settings, limit_settings, step_settings
from sweepless.stability import Stability

_STARTS = ("scores", "ranking", "random")


class SequentialSelector(BaseSelector):
    """Select features by a sequential search, budgeted or full: the best subset of every size in one run.

    Parameters
    ----------
    estimator : estimator, Criterion or function, optional
        What subsets are valued by: the mean cross-validation score of an estimator, a criterion of `sweepless`,
        or a function f(members) or f(members, dataset) that returns the value of a subset. X may hold NaN if the
        estimator takes it. None lets the data decide: a small panel of criteria, on standardized features, is searched
        on the training parts of an outer cross-validation and judged on the rest, and the one that is worth most there
        searches all samples. Targets are classes unless they are fractional or repeat less than five times on average.
    method : "auto", str or Method
        One of `sweepless.METHODS`; with "s" its steps are budgeted. "auto" is sSFFS, or without an estimator the method
        that suits the chosen criterion.
    direction : {"forward", "backward"}, optional
        "backward" takes the twin of `method` that starts from all features (SBS for SFS, sSBFS for sSFFS …).
    n_features_to_select : int, float, "best", "1se", "audit", "auto", (low, high) or None
        A number; a fraction of the features; the size of the best value; the smallest size whose value is at most one
        standard error (over folds) below the best; the size of the best audited value; as in scikit-learn, half of the
        features without `tol`, and with it the size before the first that gains less than `tol` (in a floating search,
        on the best value known of the size before); the best size from low to high. None is "best" with an estimator
        and "1se" without, where outer scores (of sizes up to 50, or to `max_size`) take the place of values.
        Sizes count a feature group as one feature, and fixed features too.
    min_size, max_size : int, optional
        Sizes to choose from, unless `n_features_to_select` gives them. A growing search goes to `max_size`, by
        default min(n_features, 100), a shrinking one from all features to `min_size`, by default 1; a
        floating one by `overshoot` past it.
    scoring, cv : as in scikit-learn
        None is the estimator's own score, 5 folds, drawn once; "oob" is a forest's score out of its bags (no folds).
        Without an estimator: of the judges and the outer folds, accuracy or R² and 3 folds, repeated for few samples.
    judge : classifier or regressor, optional
        Who judges the panel if there is no estimator: your final model, say, with its scaler if it needs one. None is
        a linear model, a kernel machine (of classes), neighbors and trees, all on standardized features.
    budget, backward_budget : "auto", "paper", int, BudgetFraction or None
        Candidates valued per addition and per removal; None is the full sweep. "auto" follows what a candidate
        costs as the criterion declares it: all of them if they are cheap, at least 100 and 50. "paper" is 100 and 50.
    floor_fraction : float
        Share of the budget that explores the least evaluated features.
    horizon : int
        Updates after which the statistics of a feature forget.
    warm_up : "auto", "M@R", WarmUp or None
        M random subsets of R features, valued first to seed the statistics. "auto" is off where there is a prior or a
        screen, or every addition is a sweep. Else it shows every feature some five times for at most the cost of the
        search, and the first addition looks at every feature if that costs less.
    prior : {"auto", "f", "chi2", "mutual_info"}, array or None
        Cheap scores of single features to begin with, of which only the order counts, as one observation of each.
        "auto" is their R² with the target, unless a certain warm-up is asked for.
    screen : "auto", Criterion or None
        A cheap criterion that proposes candidates, between which, and a floor of others, a dear estimator decides;
        "auto" is a ridge regression. None leaves it to the criterion, which may have its own.
    proposal : {"softmax", "uniform", "top-k"} or Proposal
        How candidates are drawn.
    tuple_size : int
        Features per step.
    overshoot : int or None
        How far a floating search may go past the last size that is wanted; None is unrestricted.
    start : list of features or {"scores", "ranking", "random"}, optional
        Where to begin instead of the method's own start.
    fixed_features, excluded_features : list of int or str, optional
        Features that are always, and never, selected.
    feature_groups : list of lists of int or str, or array of one label per feature, optional
        Features that are selected together or not at all; those in no list are on their own.
    feature_costs : array or mapping, optional
        What a feature costs, in units of the score, which the search maximizes less the costs.
    tie_break : {"smooth", "first"} or Criterion
        What decides between candidates of equal value, of which an accuracy on few samples has many: a smooth second
        value (leave-one-out R² of a strongly penalized ridge regression, where the target allows it), their order, or a
        criterion of your choice. The values themselves stay what they are.
    racing : "auto" or None
        Whether, where an estimator is fitted, candidates whose first folds say that they cannot win a step are dropped.
    max_evaluations, max_seconds : int, float, optional
        When to stop, with what was found. One evaluation, and the first compilation of a kernel, cannot be stopped (see
        `sweepless warm`), and scores on folds and held-back data come after. A panel takes at most half of either.
    patience : int, optional
        Steps without a new best value after which it stops.
    tol : float, optional
        How much better a value must be at least for `patience` to count it, and for "auto" to go on; there it may be
        negative if the search shrinks.
    consensus : int, optional
        Search this many times, on 80 % of the samples each and with another seed; the subset of every size is what most
        of them selected at that size, with its value on all samples. The searches share the limits, and `n_jobs` of
        them run at once. It goes without `journal` and `callbacks`.
    audit : float, splitter or None
        Share of the samples to hold back, or a splitter whose first split does; the search never sees them. A share
        follows `cv`: the last rows for a TimeSeriesSplit, whole groups where there are groups, else rows drawn.
        The best subset of every size is valued on them once, after the search.
    native : {"auto", True, False}
        Whether to compute without the estimator where that gives the same values; True insists.
    n_jobs, random_state, verbose : as in scikit-learn
        `n_jobs` candidates are valued at once, with the same results; None is one, or one per core if a native
        criterion has threads and a step is long. Anything but 0 of `verbose` shows a progress bar.
    callbacks : callable or list of callables, optional
        Called with a `Progress` after every step, and now and then inside long ones.
    journal : str or path, optional
        A new file that records the search for `resume`; a panel is recorded beside it, with ".panel" added.

    Attributes
    ----------
    support_ : mask of the selected features
    n_features_, n_features_to_select_ : int
        How many they are, by our name and by that of scikit-learn's selector.
    best_size_ : int
        Their number as sizes are counted: a group is one.
    best_score_ : float
        The value of the selected subset that the search maximized, less its costs if there are any.
    ranking_ : array
        1 for selected features; the others follow, those in many of the recorded subsets first.
    subsets_ : dict of int to Subset
        The best subset found of every size: its `features`, their `names`, its `value`.
    cv_results_ : dict of arrays
        RFECV's columns, one row per size, computed when first asked for; with costs `cost`, with an audit `audit_score`
        and `audit_score_error`. Scores are the estimator's own before costs, also where native k-NN settled ties.
    audit_results_ : dict of arrays or None
        Optimized and audited values of every size, the standard errors of the latter, and the gap.
    feature_scores_ : array or None
        What the search learned about every feature; None for methods that do not learn.
    prior_ : array or None
    trace_ : list of TracedStep
        The steps taken; none with `consensus`.
    coverage_ : Coverage or None
        How much of the feature set was looked at, and what won the steps; None with `consensus`.
    stability_ : Stability or None
        How much the searches of a consensus agree at the selected size.
    frequencies_ : array or None
        The share of these searches that selected each feature at that size; NaN for fixed and excluded features.
    anatomy_ : Anatomy
        Where the evaluations went; racing made `spared_share` of their fits unnecessary.
    n_evaluations_ : int
        Those of the last search; a panel counts its own, in `chosen_.outside`.
    fit_time_, stop_reason_ : float, str
    interrupted_ : bool
        Whether Ctrl-C ended the search; a second one aborts `fit`.
    criterion_ : Chosen
        What valued subsets, and why: `criterion`, `is_native`, `reason`.
    chosen_ : PanelChoice or None
        Without an estimator: what was tried, what each was worth outside, what was chosen and why; print it.
    honest_score_ : float or None
        Without an estimator: the mean outer score of what was chosen, at the selected size, which `select` changes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sweepless import SequentialSelector
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = SequentialSelector(n_features_to_select=5, random_state=0).fit(X, y)
    >>> selector.transform(X).shape
    (569, 5)
    """

    has_panel = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str | Method = "auto",
        direction: Literal["forward", "backward"] | None = None,
        n_features_to_select: SizeChoice = None,
        min_size: int | None = None,
        max_size: int | None = None,
        scoring: str | Callable[..., float] | None = None,
        cv: Any = None,
        judge: Any = None,
        budget: Budget | Literal["auto", "paper"] = "auto",
        backward_budget: Budget | Literal["auto", "paper"] = "auto",
        floor_fraction: float = 0.2,
        horizon: int = 100,
        warm_up: WarmUp | str | None = "auto",
        prior: ArrayLike | None = "auto",
        screen: Literal["auto"] | Criterion | None = None,
        proposal: Proposal | str = "softmax",
        tuple_size: int = 1,
        overshoot: int | None = 5,
        start: FeatureList | str | None = None,
        fixed_features: FeatureList | None = None,
        excluded_features: FeatureList | None = None,
        feature_groups: FeatureGroups | None = None,
        feature_costs: FeatureCosts | None = None,
        tie_break: Literal["smooth", "first"] | Criterion = "smooth",
        racing: Literal["auto"] | None = "auto",
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        patience: int | None = None,
        tol: float | None = None,
        consensus: int | None = None,
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
        self.direction = direction
        self.n_features_to_select = n_features_to_select
        self.min_size = min_size
        self.max_size = max_size
        self.scoring = scoring
        self.cv = cv
        self.judge = judge
        self.budget = budget
        self.backward_budget = backward_budget
        self.floor_fraction = floor_fraction
        self.horizon = horizon
        self.warm_up = warm_up
        self.prior = prior
        self.screen = screen
        self.proposal = proposal
        self.tuple_size = tuple_size
        self.overshoot = overshoot
        self.start = start
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.feature_costs = feature_costs
        self.tie_break = tie_break
        self.racing = racing
        self.max_evaluations = max_evaluations
        self.max_seconds = max_seconds
        self.patience = patience
        self.tol = tol
        self.consensus = consensus
        self.audit = audit
        self.native = native
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks
        self.journal = journal

    def _settings(self, problem: Problem, max_seconds: float | None) -> tuple[SearchSettings, SizeRule]:
        limits = limit_settings(self, max_seconds)
        if problem.choice is not None and self.max_evaluations is not None:  # the panel took its share
            limits["max_evaluations"] = max(1, self.max_evaluations - problem.choice.outside.n_evaluations)
        if self.overshoot is not None:
            whole("overshoot", self.overshoot, 0)
        if self.judge is not None and problem.panel is None:
            raise InputError("`judge` is for a selector without an estimator, got it with one.")
        method = directed(named(problem.method if self.method == "auto" else self.method), self.direction)
        grows = method.direction.adds
        rule = read_rule(self.n_features_to_select, self.min_size, self.max_size, problem, grows=grows, tol=self.tol)
        steps = step_settings(self, method, problem)
        tuple_size = whole("tuple_size", steps.get("tuple_size", method.steps.tuple_size), 1)
        goal = goal_settings(method, rule, problem.layout, self.overshoot, self._start(problem.layout), tuple_size)
        chosen = method.name if isinstance(self.method, str) else method
        return SearchSettings(method=chosen, seed=problem.seed, racing=self.racing, **goal, **limits, **steps), rule

    @property
    def stability_(self) -> Stability | None:
        """How much the searches of a consensus agree at the selected size."""
        check_is_fitted(self, "subsets_")
        return None if self._agreed is None else self._agreed.stability(self.best_size_ - self._layout.n_fixed)

    @property
    def frequencies_(self) -> Values | None:
        """The share of the searches of a consensus that selected each feature at the selected size."""
        check_is_fitted(self, "subsets_")
        if self._agreed is None:
            return None
        return self._layout.spread(self._agreed.frequencies(self.best_size_ - self._layout.n_fixed), np.nan)

    def _start(self, layout: Layout) -> Any:
        if self.start is None or (isinstance(self.start, str) and self.start in _STARTS):
            return self.start
        return layout.units_of(indices_of("start", self.start, layout.n_features, names_of(self)), "start")
