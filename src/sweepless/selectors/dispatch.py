"""The criterion that computes the `cross_val_score` of an estimator."""

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
    """The criterion that values subsets, and the reason for this choice.

    Attributes
    ----------
    criterion : Criterion
    is_native : bool
        Whether subsets are valued without the estimator wherever that gives the same value.
    reason : str
    settles_ties : bool
        Whether the criterion has its own rule for ties, which the estimator breaks by the order of its search.
        Values may then differ from those of the estimator, by which results should be reported.
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
        The data that the criterion will be bound to.
    scoring : str, callable or None
        As in scikit-learn.
    splits : list of (train, test)
        Row numbers of the data.
    native : {"auto", True, False}
        Whether to compute without the estimator where that gives the same value; True insists, False declines.
    n_jobs : int or None
        How many candidates are valued at once.
    fit_params, score_params : mapping, optional
        Further arguments of `fit` and of the scorer; entries with one element per sample are split like the samples.

    Raises
    ------
    InputError
        If `native` is True and the estimator has to be fitted itself.
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
    """Say how the values compare with cross-validation of the estimator."""
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
