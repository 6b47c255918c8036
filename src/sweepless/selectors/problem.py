"""What `fit` was given, in the terms of a search: data, a criterion, units, and rows that are held back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import check_cv
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import Bunch, column_or_1d, get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import _check_method_params, validate_data

from sweepless._typing import Features, Values
from sweepless.criteria.base import Criterion
from sweepless.criteria.composite import Penalized
from sweepless.criteria.cross_validation import is_oob
from sweepless.criteria.tie_break import TieBreak, smooth_second
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError
from sweepless.selectors.auto import Panel, make_panel, require_panel
from sweepless.selectors.chosen import Chosen
from sweepless.selectors.contract import read_estimator
from sweepless.selectors.layout import Layout, costs_of, make_layout
from sweepless.validation.audit import Audit, held_back
from sweepless.validation.choice import PanelChoice
from sweepless.validation.panel import Member
from sweepless.validation.repeats import seed_of


@dataclass(frozen=True)
class Foldwise:
    """The value of subsets on every fold, which the search averages and forgets.

    Attributes
    ----------
    is_report : bool
        Whether these are values of the estimator where the search settled ties by a rule of its own.
    """

    estimator: Any
    data: Dataset
    splits: list[tuple[Any, Any]]
    options: Mapping[str, Any]
    is_report: bool

    def __call__(self, subsets: list[Features]) -> Values:
        """Return one row per subset, one column per fold."""
        from sweepless.selectors.native import choose_criterion

        return np.column_stack(
            [
                choose_criterion(self.estimator, self.data, splits=[split], **self.options)
                .criterion.bind(self.data)
                .evaluate_many(subsets)
                for split in self.splits
            ]
        )


@dataclass(frozen=True)
class Problem:
    """What is maximized, on which data.

    Attributes
    ----------
    data : Dataset
        What the search sees.
    chosen : Chosen
        What values subsets of features, and why.
    layout : Layout
        Which features move together, and which do not move.
    costs : array or None
        One per feature.
    foldwise : Foldwise or None
        None if a criterion was given, which shows no folds.
    audit : Audit or None
    seed : int
    second : Criterion or None
        Decides between subsets of features that the criterion values alike.
    rows : array of int or None
        The rows of X that the search sees; None for all.
    panel : Panel or None
        What is to be compared before the search, if nobody said what values subsets.
    method : str
        What `method="auto"` means.
    budget : int or str
        What `budget="auto"` means.
    choice : PanelChoice or None
        What the comparison came to.
    """

    data: Dataset
    chosen: Chosen
    layout: Layout
    costs: Values | None
    foldwise: Foldwise | None
    audit: Audit | None
    seed: int
    second: Criterion | None = None
    rows: Features | None = None
    panel: Panel | None = None
    method: str = "sSFFS"
    budget: int | str = "auto"
    choice: PanelChoice | None = None

    @property
    def criterion(self) -> Criterion:
        """What the search maximizes: over units, less the costs."""
        criterion = self.chosen.criterion
        if self.costs is not None:
            criterion = Penalized(criterion, self.costs.tolist())
        criterion = self.layout.wrap(criterion)
        return criterion if self.second is None else TieBreak(criterion, self.layout.wrap(self.second))

    def cost(self, features: Features) -> float:
        return 0.0 if self.costs is None else float(self.costs[features].sum())


def pose(selector: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Problem:
    """Validate what `fit` was given, and translate it."""
    valued_by = read_estimator(selector.estimator)
    data = _checked_data(selector, X, y)
    names, n_features = names_of(selector), data.n_features
    layout = make_layout(
        n_features, names, selector.fixed_features, selector.excluded_features, selector.feature_groups
    )
    costs = None if selector.feature_costs is None else costs_of(selector.feature_costs, n_features, names)
    seed = seed_of(selector.random_state)
    if isinstance(valued_by, Criterion):
        _refuse_estimator_options(selector, params)
        data, chosen, audit, rows = _by_criterion(selector, valued_by, data, seed)
        return Problem(data, chosen, layout, costs, None, audit, seed, _second(selector, chosen, data), rows)
    if valued_by is None and selector.has_panel:
        data, panel, audit, rows = _by_panel(selector, data, _routed(selector, params), seed)
        first = panel.members[0]
        chosen = Chosen(first.make(data), True, f"{first.name} is the first of the panel.")
        return Problem(data, chosen, layout, costs, None, audit, seed, None, rows, panel, first.method)
    estimator = default_estimator(data) if valued_by is None else valued_by
    data, chosen, foldwise, audit, rows = _by_estimator(selector, estimator, data, _routed(selector, params), seed)
    return Problem(data, chosen, layout, costs, foldwise, audit, seed, _second(selector, chosen, data), rows)


def by_member(selector: Any, problem: Problem, member: Member, data: Dataset, reason: str = "") -> Problem:
    """Return the problem on some data, with subsets valued by a member of its panel."""
    chosen = Chosen(member.make(data), True, reason)
    second = _second(selector, chosen, data)
    return replace(problem, data=data, chosen=chosen, second=second, method=member.method, budget=member.budget)


def _by_panel(
    selector: Any, data: Dataset, routed: Bunch, seed: int
) -> tuple[Dataset, Panel, Audit | None, Features | None]:
    if routed.estimator.fit:
        name = next(iter(routed.estimator.fit))
        raise InputError(f"`{name}` is for estimators, got it without one.")
    if selector.native != "auto":
        raise InputError(f"`native` must be 'auto' if there is no estimator, got {selector.native!r}.")
    require_panel(data)
    groups, audit = routed.splitter.split.get("groups"), None
    rows = held_back(selector.audit, selector.cv, data, groups, data.has_classes, seed)
    if rows is not None:
        train, test = (data.take(part) for part in rows)
        groups = None if groups is None else np.asarray(groups)[rows[0]]
        data = train
    panel = make_panel(data, selector.judge, selector.scoring, selector.cv, groups, seed)
    if rows is not None:
        audit = Audit.of_estimator(next(iter(panel.judges.values())), selector.scoring, train, test, {}, {})
    return data, panel, audit, None if rows is None else rows[0]


def _second(selector: Any, chosen: Chosen, data: Dataset) -> Criterion | None:
    """Return what decides between equal values, as `tie_break` says; a ranking has no candidates to decide between."""
    given = getattr(selector, "tie_break", "first")
    if isinstance(given, Criterion):
        return given
    if not isinstance(given, str) or given not in ("smooth", "first"):
        raise InputError(f"`tie_break` must be 'smooth', 'first' or a criterion, got {given!r}.")
    return smooth_second(chosen.criterion, data) if given == "smooth" else None


def _by_criterion(
    selector: Any, criterion: Criterion, data: Dataset, seed: int
) -> tuple[Dataset, Chosen, Audit | None, Features | None]:
    chosen = Chosen(criterion, True, f"{criterion} was given.")
    rows = held_back(selector.audit, None, data, None, data.has_classes, seed)
    if rows is None:
        return data, chosen, None, None
    train, test = (data.take(part) for part in rows)
    return train, chosen, Audit.of_criterion(criterion, train, test), rows[0]


def _by_estimator(
    selector: Any, estimator: Any, data: Dataset, routed: Bunch, seed: int
) -> tuple[Dataset, Chosen, Foldwise, Audit | None, Features | None]:
    from sweepless.selectors.native import choose_criterion  # who gives no estimator need not wait for all native ones

    fit_params, score_params, split_params = routed.estimator.fit, routed.scorer.score, routed.splitter.split
    audit = None
    rows = held_back(selector.audit, selector.cv, data, split_params.get("groups"), is_classifier(estimator), seed)
    if rows is not None:
        train, test = (data.take(part) for part in rows)
        score_test = _check_method_params(data.X, score_params, rows[1])
        fit_params, score_params, split_params = (
            _check_method_params(data.X, some, rows[0]) for some in (fit_params, score_params, split_params)
        )
        audit = Audit.of_estimator(estimator, selector.scoring, train, test, fit_params, score_test)
        data = train
    if is_oob(selector.scoring):
        splits = [(np.arange(data.n_samples), np.arange(0))]  # one fit on everything, and no fold
    else:
        splitter = check_cv(selector.cv, data.y, classifier=is_classifier(estimator))
        splits = list(splitter.split(np.zeros((data.n_samples, 1)), data.y, **split_params))
    options = {
        "scoring": selector.scoring,
        "n_jobs": selector.n_jobs,
        "fit_params": fit_params,
        "score_params": score_params,
    }
    chosen = choose_criterion(estimator, data, splits=splits, native=selector.native, **options)
    options["native"] = "auto" if chosen.is_native and not chosen.deviates else False
    foldwise = Foldwise(estimator, data, splits, options, chosen.deviates)
    return data, chosen, foldwise, audit, None if rows is None else rows[0]


def default_estimator(data: Dataset) -> Any:
    """Return 1-NN, the paper's classifier, or ridge regression where the target is no class."""
    return KNeighborsClassifier(n_neighbors=1, algorithm="brute") if data.has_classes else Ridge()


def _checked_data(selector: Any, X: Any, y: Any) -> Dataset:
    if np.ma.is_masked(X) or np.ma.is_masked(y):  # scikit-learn would take what is under the mask
        raise DataError("X and y must be plain arrays, got a masked one; fill the missing values first.")
    if sparse.issparse(X) and X.dtype.kind == "O":  # scikit-learn's error would be a riddle
        raise DataError("X must hold real numbers, got a sparse matrix of objects.")
    tags = get_tags(selector).input_tags
    checked = validate_data(
        selector,
        X,
        y,
        accept_sparse="csc" if tags.sparse else False,
        ensure_all_finite="allow-nan" if tags.allow_nan else True,
        ensure_min_samples=2,
        **({} if y is None else {"multi_output": True}),
    )
    matrix, target = (checked, None) if y is None else checked
    if target is not None and target.ndim == 2 and target.shape[1] == 1:
        target = column_or_1d(target, warn=True)
    data = Dataset(matrix, target, feature_names=names_of(selector), allow_missing=tags.allow_nan)
    if hasattr(X, "columns"):
        data.frame = X
    return data


def _routed(selector: Any, params: Mapping[str, Any]) -> Bunch:
    """Return what `fit`, the scorer and the splitter get: as requested, or `groups` apart from the rest."""
    if get_config()["enable_metadata_routing"]:
        return process_routing(selector, "fit", **params)
    fit_params = {name: value for name, value in params.items() if name != "groups" and value is not None}
    split_params = {"groups": params["groups"]} if params.get("groups") is not None else {}
    return Bunch(estimator=Bunch(fit=fit_params), scorer=Bunch(score={}), splitter=Bunch(split=split_params))


def _refuse_estimator_options(selector: Any, params: Mapping[str, Any]) -> None:
    given = [name for name in ("scoring", "cv") if getattr(selector, name) is not None]
    given += [name for name, value in params.items() if value is not None]
    if selector.native != "auto":
        given.append("native")
    if given:
        raise InputError(f"`{given[0]}` is for estimators, got it together with the criterion {selector.estimator}.")


def names_of(selector: Any) -> Any:
    """Return the feature names that the selector saw, if it saw any."""
    return getattr(selector, "feature_names_in_", None)
