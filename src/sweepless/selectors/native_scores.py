"""Which `scoring` a native criterion computes: scikit-learn's scorers, translated into scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sklearn import metrics
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer, make_scorer

from sweepless._typing import AnyArray
from sweepless.criteria.scores import labels
from sweepless.criteria.scores.base import Score
from sweepless.criteria.scores.labels import ClassScore, TableScore
from sweepless.criteria.scores.metric import MetricScore
from sweepless.criteria.scores.names import SCORES
from sweepless.criteria.scores.outputs import ManyRankScore, RankScore


class NotNative(Exception):
    """The reason why an estimator has to be fitted itself; its text ends a sentence."""


_Scorer = type(make_scorer(metrics.accuracy_score))
_Options = dict[str, Any]
_Builder = Callable[[_Options, int], Score | None]


def score_for(scoring: Any, estimator: Any, classes: AnyArray) -> Score:
    """Return the score that this `scoring` asks of the estimator, or raise `NotNative`; numbers have no classes."""
    if scoring is None:
        return SCORES["accuracy" if is_classifier(estimator) else "r2"]
    scorer = scoring
    if isinstance(scoring, str):
        try:
            scorer = get_scorer(scoring)
        except ValueError:
            raise NotNative(f"`scoring={scoring!r}` is unknown to scikit-learn") from None
    if type(scorer) is not _Scorer:
        raise NotNative(f"`scoring={scoring!r}` is not computed natively")
    method = _response(scorer, estimator)
    options = _defaults(scorer._score_func) | scorer._kwargs
    positive = options.get("pos_label")
    if len(classes) and positive is not None and positive not in classes.tolist():
        raise NotNative(f"`pos_label={positive!r}` is no class")
    build = _BUILDERS.get(scorer._score_func)
    score = build(options, len(classes)) if build is not None else None
    if score is not None and method == "predict_proba" and score.needs == "outputs":
        score = replace(score, needs="probabilities")  # type: ignore[call-arg]
    if score is not None and _is_meant(score, scorer, method, len(classes)):
        return score
    if method != "predict":
        raise NotNative(f"`scoring={scoring!r}` is not computed natively")
    if not len(classes) and scorer._score_func.__module__.startswith("sklearn.metrics.cluster"):
        raise NotNative(f"`scoring={scoring!r}` takes numbers for names of clusters")
    return _metric(scorer, "labels" if len(classes) else "numbers")


def is_loss(scoring: Any) -> bool:
    """Tell whether this is a loss of probabilities, which changes with their last digits."""
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    names = ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score")
    return type(scorer) is _Scorer and scorer._score_func in [getattr(metrics, name, None) for name in names]


def _is_meant(score: Score, scorer: Any, method: str, n_classes: int) -> bool:
    """Tell whether the scorer has the sign of the score, and gives it what it needs."""
    wanted = {"decision_function": ("outputs",), "predict_proba": ("probabilities",)}
    needs = wanted.get(method, ("labels",) if n_classes else ("numbers",))
    return score.needs in needs and scorer._sign == (-1 if score.name.startswith("neg_") else 1)


def _response(scorer: Any, estimator: Any) -> str:
    """Return the method of the estimator that the scorer asks."""
    asked = scorer._response_method
    methods = [asked] if isinstance(asked, str) else list(asked)
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if method not in ("predict", "decision_function", "predict_proba"):
        raise NotNative(f"{type(estimator).__name__} has no {' or '.join(methods)}")
    return method


def _metric(scorer: Any, needs: Any) -> MetricScore:
    function, options = scorer._score_func, tuple(sorted(scorer._kwargs.items()))
    shown = ", ".join(f"{name}={value!r}" for name, value in options)
    name = f"{'neg_' if scorer._sign < 0 else ''}{getattr(function, '__name__', repr(function))}"
    return MetricScore(f"{name}({shown})" if shown else name, needs, function, scorer._sign, options)


def _defaults(function: Any) -> _Options:
    """Return the options of a metric; those of a function that cannot be inspected are unknown."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {}
    return {one.name: one.default for one in parameters[2:] if one.default is not one.empty}


def _is_default(options: _Options, function: Any, *but: str) -> bool:
    """Tell whether all options but these have their default values."""
    defaults = _defaults(function)
    return all(
        name in but or (name in defaults and (value is defaults[name] or value == defaults[name]))
        for name, value in options.items()
    )


def _named(function: Any, name: str) -> _Builder:
    """Return the builder of a score without options."""
    return lambda options, n_classes: SCORES[name] if _is_default(options, function) else None


def _class_score(function: Any, measure: labels.Measure) -> _Builder:
    def build(options: _Options, n_classes: int) -> Score | None:
        average, positive, nothing = options["average"], options["pos_label"], options["zero_division"]
        is_known = isinstance(average, str) and average in ("binary", *labels.AVERAGES)
        if not is_known or not _is_default(options, function, "average", "pos_label", "zero_division"):
            return None
        if isinstance(nothing, str):
            nothing = 0.0
        if nothing not in (0, 1):
            return None
        name = measure if average == "binary" else f"{measure}_{average}"
        if average != "binary" or positive == 1:
            return replace(SCORES[name], zero_division=float(nothing))  # type: ignore[call-arg]
        return ClassScore(f"{name}(pos_label={positive!r})", measure, average, positive, float(nothing))

    return build


def _brier(options: _Options, n_classes: int) -> Score | None:
    is_known = n_classes == 2 or "labels" in options  # several classes since scikit-learn 1.7
    return SCORES["neg_brier_score"] if is_known and _is_default(options, metrics.brier_score_loss) else None


def _balanced(options: _Options, n_classes: int) -> Score | None:
    if options["adjusted"] is True:
        return TableScore("balanced_accuracy(adjusted=True)", labels.adjusted_balanced_accuracy)
    return SCORES["balanced_accuracy"] if _is_default(options, metrics.balanced_accuracy_score) else None


def _area(options: _Options, n_classes: int) -> Score | None:
    if not _is_default(options, metrics.roc_auc_score, "multi_class", "average"):
        return None
    if n_classes == 2:
        return SCORES["roc_auc"] if options["average"] == "macro" else None
    average, kind = options["average"], options["multi_class"]
    return SCORES.get(f"roc_auc_{kind}{'_weighted' if average == 'weighted' else '' if average == 'macro' else '?'}")


def _average_precision(options: _Options, n_classes: int) -> Score | None:
    average, positive = options["average"], options["pos_label"]
    if not _is_default(options, metrics.average_precision_score, "average", "pos_label"):
        return None
    if n_classes == 2:
        name = "average_precision" if positive == 1 else f"average_precision(pos_label={positive!r})"
        return RankScore(name, "precision", positive) if average == "macro" else None
    if average not in ("macro", "weighted") or positive != 1:
        return None
    return ManyRankScore("average_precision" + ("_weighted" if average == "weighted" else ""), "precision", average)


def _top(options: _Options, n_classes: int) -> Score | None:
    if not _is_default(options, metrics.top_k_accuracy_score, "k"):
        return None
    k = options["k"]
    return SCORES["top_k_accuracy"] if k == 2 else replace(SCORES["top_k_accuracy"], name=f"top_{k}_accuracy", k=k)  # type: ignore[call-arg]


_BUILDERS: dict[Any, _Builder] = {
    metrics.balanced_accuracy_score: _balanced,
    metrics.precision_score: _class_score(metrics.precision_score, "precision"),
    metrics.recall_score: _class_score(metrics.recall_score, "recall"),
    metrics.f1_score: _class_score(metrics.f1_score, "f1"),
    metrics.jaccard_score: _class_score(metrics.jaccard_score, "jaccard"),
    metrics.brier_score_loss: _brier,
    metrics.roc_auc_score: _area,
    metrics.average_precision_score: _average_precision,
    metrics.top_k_accuracy_score: _top,
} | {
    function: _named(function, name)
    for function, name in (
        (metrics.accuracy_score, "accuracy"),
        (metrics.matthews_corrcoef, "matthews_corrcoef"),
        (metrics.cohen_kappa_score, "cohen_kappa_score"),
        (metrics.log_loss, "neg_log_loss"),
        (metrics.d2_log_loss_score, "d2_log_loss_score"),
        (getattr(metrics, "d2_brier_score", None), "d2_brier_score"),  # since scikit-learn 1.8
        (metrics.r2_score, "r2"),
        (metrics.explained_variance_score, "explained_variance"),
        (metrics.d2_absolute_error_score, "d2_absolute_error_score"),
        (metrics.mean_squared_error, "neg_mean_squared_error"),
        (metrics.root_mean_squared_error, "neg_root_mean_squared_error"),
        (metrics.mean_absolute_error, "neg_mean_absolute_error"),
        (metrics.median_absolute_error, "neg_median_absolute_error"),
        (metrics.max_error, "neg_max_error"),
        (metrics.mean_absolute_percentage_error, "neg_mean_absolute_percentage_error"),
        (metrics.mean_squared_log_error, "neg_mean_squared_log_error"),
        (metrics.root_mean_squared_log_error, "neg_root_mean_squared_log_error"),
        (metrics.mean_poisson_deviance, "neg_mean_poisson_deviance"),
        (metrics.mean_gamma_deviance, "neg_mean_gamma_deviance"),
    )
    if function is not None
}
