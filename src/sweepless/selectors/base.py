"""What the selectors share: one search from `fit` to the attributes that scikit-learn knows."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sweepless._typing import AnyArray, Mask
from sweepless.errors import IncompleteWarning, InputError
from sweepless.journal.journal import Journal, RecordedRun
from sweepless.journal.run import run_plan
from sweepless.search.plan import Plan, plan_for
from sweepless.search.result import Result
from sweepless.search.saturation import saturation
from sweepless.search.settings import SearchSettings
from sweepless.search.stop import StopReason
from sweepless.search.warm_up import n_steps
from sweepless.selectors.agreed import refuse_single, resampled_runs
from sweepless.selectors.contract import ContractMixin, Tasks, with_callbacks
from sweepless.selectors.cost import CostEstimate, Forecast, estimate, with_panel
from sweepless.selectors.decide import decide, outer_searches, sizes_of
from sweepless.selectors.layout import Layout
from sweepless.selectors.outcome import SubsetTable, coverage, found_subsets, ranks, taken_steps
from sweepless.selectors.problem import Problem, by_member, names_of, pose
from sweepless.selectors.progress import ProgressBar, read_callbacks
from sweepless.selectors.sizes import SizeRule, gains_of
from sweepless.selectors.translate import Selection, warn_of_cut, warn_of_saturation
from sweepless.validation.audit import warn_of_gap
from sweepless.validation.resampling import ResampledRuns


class BaseSelector(ContractMixin):
    """Validates, translates, searches, and exposes what was found."""

    random_state: int | np.random.RandomState | None
    journal: str | PathLike[str] | None
    tol: float | None
    max_seconds: float | None
    consensus: int | None = None
    _resumed: RecordedRun | None = None  # while a recorded run goes on
    _agreed: ResampledRuns | None = None  # the searches of a consensus
    _layout: Layout
    has_panel = False  # whether no estimator means a panel of criteria

    @abstractmethod
    def _settings(self, problem: Problem, max_seconds: float | None) -> tuple[SearchSettings, SizeRule]:
        """Translate the parameters of the selector, which has so many seconds left."""

    @with_callbacks
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search for the features to select.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_outputs), optional
        **params
            With scikit-learn's metadata routing, whatever the estimator, the splitter and the scorer request.
            Without, `groups` goes to the splitter and everything else, like `sample_weight`, to the
            estimator's `fit`.

        Returns
        -------
        self
        """
        began = time.monotonic()
        problem = pose(self, X, y, params)
        if problem.panel is not None:
            problem = decide(self, problem, problem.panel, self._seconds_left(began))
        selection = self._selection(problem, self._seconds_left(began))
        if self.consensus is not None:
            self._expose(problem, selection, self._agree(problem, selection.plan, X, y, params, began))
            self.fit_time_ = time.monotonic() - began
            return self
        planned, rule, n_fixed = selection.plan, selection.rule, problem.layout.n_fixed
        grows = planned.method.direction.adds
        end = (rule.high if grows else rule.low) - n_fixed
        tasks = Tasks(self, X, y, n_steps(planned.method, problem.layout.n_units, end, 0))
        forecast = Forecast(planned)
        bar = ProgressBar(
            planned.method.name,
            shown=bool(self.verbose),
            max_seconds=self.max_seconds,
            max_evaluations=self.max_evaluations,
            max_size=end if grows else None,
            forecast=forecast,
        )
        listeners = [forecast, bar, *read_callbacks(self.callbacks), tasks]
        if selection.gains is not None:
            listeners.append(selection.gains)
        with bar:
            result = run_plan(planned, problem.criterion, problem.data, listeners, self._open_journal())
        self._warn_of_time(began)
        self._agreed = None
        self._expose(problem, selection, result)
        tasks.end()
        self.fit_time_ = time.monotonic() - began
        return self

    def _selection(self, problem: Problem, max_seconds: float | None) -> Selection:
        settings, rule = self._settings(problem, max_seconds)
        planned = plan_for(settings, problem.criterion, problem.data)
        warn_of_cut(planned.automatic)
        return Selection(planned, rule, gains_of(planned.method, rule, problem.layout, self.tol))

    def _agree(self, problem: Problem, planned: Plan, X: Any, y: Any, params: Any, began: float) -> Result:
        """Search resamples instead of the data, and return what most of the searches found."""
        refuse_single(self)
        runs = resampled_runs(self, problem, planned.method.direction, X, y, params)
        self._agreed, self._layout = runs, problem.layout
        cursor = problem.criterion.bind(problem.data)
        return runs.result(planned, cursor, str(problem.criterion), time.monotonic() - began)

    def resume(self, path: str | PathLike[str], X: Any, y: Any = None, **params: Any) -> Self:
        """Go on with a search that kept a journal, to the end it would have had without a break.

        Parameters
        ----------
        path : str or path
            The `journal` of a selector with the same parameters as this one. Limits may differ: they are totals,
            so recorded steps count. The warm-up stays as the first limits made it.
        X, y, **params : as for `fit`
            The same as then; this is checked.

        Returns
        -------
        self
        """
        random_state = self.random_state
        self._resumed = RecordedRun(path)
        try:
            if not isinstance(random_state, int | np.integer):
                self.random_state = self._resumed.seed  # as it was drawn then
            return self.fit(X, y, **params)
        finally:
            self.random_state = random_state
            del self._resumed

    def _open_journal(self) -> Journal | None:
        if self._resumed is not None:
            return Journal(self._resumed.path, resumes=self._resumed.found)
        return None if self.journal is None else Journal(self.journal)

    def _seconds_left(self, began: float) -> Any:
        limit = self.max_seconds
        if not isinstance(limit, int | float | np.number) or not limit > 0:
            return limit  # none, or one that the translation refuses
        return max(float(limit) - (time.monotonic() - began), 1e-3)

    def _warn_of_time(self, began: float) -> None:
        """Warn if the limit was passed: a first compilation, or one long evaluation, cannot be stopped."""
        seconds = time.monotonic() - began
        if self.max_seconds is not None and seconds > 1.25 * self.max_seconds + 0.25:
            warnings.warn(
                f"`max_seconds` was {self.max_seconds:g}, but the search took {seconds:.1f} s: an evaluation is that "
                "long, or workers were started or kernels compiled, which happens once (see `sweepless warm`).",
                stacklevel=4,
            )

    def _expose(self, problem: Problem, selection: Selection, result: Result) -> None:
        layout = problem.layout
        self.subsets_ = found_subsets(result, layout, names_of(self))
        if not self.subsets_:
            raise KeyboardInterrupt  # before anything was valued: there is nothing to select
        self._table = SubsetTable(self.subsets_, problem)
        self.trace_ = taken_steps(result, layout)
        self.feature_scores_ = None if result.scores is None else layout.spread(result.scores, np.nan)
        self.n_evaluations_ = result.n_evaluations
        self.anatomy_ = result.anatomy
        self.stop_reason_ = result.stop_reason.value
        self.interrupted_ = result.stop_reason is StopReason.INTERRUPTED
        self.criterion_ = problem.chosen
        self.coverage_ = None if self._agreed is not None else coverage(result, selection.plan)
        self.prior_ = getattr(selection.plan.method.steps, "prior", None)
        if self.prior_ is not None:
            self.prior_ = layout.spread(self.prior_, np.nan)
        self.chosen_ = problem.choice
        if selection.gains is not None and selection.gains.size is not None:
            size = selection.gains.size + layout.n_fixed
        elif problem.choice is not None and selection.rule.name in ("best", "1se"):
            size = self._table.nearest(problem.choice.size)
        else:
            size = selection.rule.choose(
                self._table.sizes, self._table.values, errors=self._table.error, audited=self._table.audited
            )
        low, high = selection.rule.low, selection.rule.high
        if not low <= size <= high:
            sizes = str(low) if low == high else f"{low} to {high}"
            warnings.warn(
                f"the search was stopped ({self.stop_reason_}) before it found {sizes} features, {size} are selected.",
                IncompleteWarning,
                stacklevel=4,
            )
        self.select(size)
        if self.estimator is not None:
            runs, direction = self._agreed, selection.plan.method.direction
            warn_of_saturation(saturation(self.trace_, direction, size) if runs is None else runs.saturation)
        self.audit_results_ = None
        if self._table.audited is not None:
            self.audit_results_ = self._table.audit_results()
            at = int(np.flatnonzero(self._table.sizes == size)[0])
            warn_of_gap(size, self._table.score(at), float(self._table.audited[at]), self._table.gap_error(at))

    def select(self, n_features: int) -> Self:
        """Select the best recorded subset of another size, without a new search.

        Parameters
        ----------
        n_features : int
            One of the sizes in `subsets_`.

        Returns
        -------
        self
        """
        self.support_ = self.get_support(n_features=n_features)
        self.n_features_ = int(self.support_.sum())
        self.best_size_ = int(n_features)
        self.best_score_ = self.subsets_[n_features].value
        self.ranking_ = ranks(self.support_, self.subsets_, self.feature_scores_)
        self.honest_score_ = None if self.chosen_ is None else self.chosen_.score_at(self.best_size_)
        return self

    def get_support(self, indices: bool = False, *, n_features: int | None = None) -> AnyArray:
        """Return the mask, or the indices, of the selected features.

        Parameters
        ----------
        indices : bool
        n_features : int, optional
            Of the best recorded subset of this size instead.
        """
        check_is_fitted(self, "subsets_")
        if n_features is None:
            mask: Mask = self.support_
        else:
            if n_features not in self.subsets_:
                recorded = sorted(self.subsets_)
                raise InputError(
                    f"`n_features` must be a recorded size, {len(recorded)} of them from {recorded[0]} to "
                    f"{recorded[-1]}, got {n_features!r}."
                )
            mask = np.zeros(self.n_features_in_, dtype=np.bool_)
            mask[self.subsets_[n_features].features] = True
        return np.flatnonzero(mask) if indices else mask

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self, "subsets_")
        mask: Mask = self.support_
        return mask

    @property
    def n_features_to_select_(self) -> int:
        """`n_features_`, as scikit-learn's own selector calls it."""
        check_is_fitted(self, "subsets_")
        return int(self.n_features_)

    @property
    def cv_results_(self) -> Mapping[str, AnyArray]:
        """RFECV's table, one row per recorded size; the scores of single folds are computed when first asked for."""
        check_is_fitted(self, "subsets_")
        return self._table.columns

    def estimate_cost(self, X: Any, y: Any = None, **params: Any) -> CostEstimate:
        """Estimate what `fit` would cost, from a pilot of about a second.

        Parameters
        ----------
        X, y, **params : as for `fit`

        Returns
        -------
        CostEstimate
            Evaluations and seconds, of this search and of the same search with full sweeps.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem = pose(self, X, y, params)
            panel = problem.panel
            if panel is None or not panel.splits:
                return self._estimated(problem)
            estimates = [self._estimated(by_member(self, problem, member, problem.data)) for member in panel.members]
            sizes = sizes_of(self, problem)[1]
            _, n_searched = outer_searches(self, problem, panel, sizes[-1])
            return with_panel(estimates, panel, problem.data, len(sizes), n_searched)

    def _estimated(self, problem: Problem) -> CostEstimate:
        return estimate(self._selection(problem, self.max_seconds).plan, problem)

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "_table"):
            self._table.settle()  # or the training data would have to be stored along
        return dict(super().__getstate__())
