"""Which criterion computes what `cross_val_score` of an estimator would say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline

from sweepless.criteria.base import Criterion
from sweepless.criteria.estimator import EstimatorCriterion
from sweepless.criteria.fallback import Fallback
from sweepless.dataset import Dataset
from sweepless.errors import InputError
from sweepless.selectors.far import FARTHEST
from sweepless.selectors.native import native_criterion
from sweepless.selectors.native_rules import NotNative, Splits


@dataclass(frozen=True)
class Chosen:
    """What values subsets, and why.

    Attributes
    ----------
    criterion : Criterion
    is_native : bool
        Whether subsets are valued without the estimator, as far as that gives its values.
    reason : str
    settles_ties : bool
        Whether the criterion has a rule of its own for ties that the estimator settles as its search comes upon them.
        Values may then differ from those of the estimator, by which results are to be reported.
    """

    criterion: Criterion
    is_native: bool
    reason: str
    settles_ties: bool = False


def choose_criterion(
    estimator: Any,
    data: Dataset,
    *,
    scoring: Any = None,
    splits: Splits,
    native: Literal["auto"] | bool = "auto",
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> Chosen:
    """Choose the criterion whose value is `cross_val_score(estimator, X[:, subset], y, cv=splits).mean()`.

    Parameters
    ----------
    estimator : scikit-learn estimator
    data : Dataset
        What the criterion will be bound to.
    scoring : str, callable or None
        As in scikit-learn.
    splits : list of (train, test)
        Row numbers of the data.
    native : {"auto", True, False}
        Whether to compute without the estimator where that gives the same value; True insists, False declines.
    n_jobs : int or None
        Candidates valued at once.
    fit_params, score_params : mapping, optional
        What `fit` and the scorer are given besides; entries with one element per sample are split like them.

    Raises
    ------
    InputError
        If `native` is True and the estimator has to be run itself.
    """
    if native not in ("auto", True, False):
        raise InputError(f"`native` must be 'auto', True or False, got {native!r}.")
    name = type(estimator).__name__
    reason = "`native` is False"
    if native is not False:
        try:
            if fit_params or score_params:
                raise NotNative("only the estimator itself knows what to do with parameters for fit or score")
            criterion = native_criterion(estimator, data, scoring, splits, n_jobs)
            last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
            settles_ties = type(last) in (KNeighborsClassifier, KNeighborsRegressor)
            note = _note(criterion, settles_ties)
            return Chosen(criterion, True, f"{name} is computed natively by {criterion}: {note}.", settles_ties)
        except NotNative as found:
            reason = str(found)
    if native is True:
        raise InputError(
            f"`native=True` must come with an estimator that sweepless computes itself, got {name}: {reason}."
        )
    fitted = EstimatorCriterion(estimator, scoring, list(splits), n_jobs, fit_params or None, score_params or None)
    return Chosen(fitted, False, f"{name} is fitted and scored by cross-validation: {reason}.")


def _note(criterion: Criterion, settles_ties: bool) -> str:
    """Say what is the same as cross-validation of the estimator, and what is not."""
    aside = criterion.aside if isinstance(criterion, Fallback) else ()
    far = f"with a feature whose mean is more than {FARTHEST:,.0f} deviations from zero ({len(aside)} of them)"
    if settles_ties:
        note = (
            "same values but for ties: of equally distant samples the lowest row is nearer, which where values repeat "
            "may change scores and what is selected; `cv_results_` holds what the estimator itself scores"
        )
        return f"{note}; subsets {far} are fitted and scored" if aside else note
    if isinstance(criterion, Fallback):
        also = f", and those {far}" if aside else ""
        return f"same values; subsets whose value would hang on rounding are still fitted and scored{also}"
    return "same values"
