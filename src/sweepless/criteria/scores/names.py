"""The scores that have a name."""

from __future__ import annotations

from typing import Any

from sweepless.criteria.scores import labels, numbers
from sweepless.criteria.scores.base import Needs, Score
from sweepless.criteria.scores.labels import ClassScore, TableScore
from sweepless.criteria.scores.numbers import Explained, MinusLoss
from sweepless.criteria.scores.outputs import (
    LossScore,
    ManyRankScore,
    PairedRankScore,
    RankScore,
    TopScore,
    brier_loss,
    log_loss,
)
from sweepless.errors import InputError

_ALL: tuple[Score, ...] = (
    TableScore("accuracy", labels.accuracy),
    TableScore("balanced_accuracy", labels.balanced_accuracy),
    TableScore("matthews_corrcoef", labels.matthews_correlation),
    TableScore("cohen_kappa_score", labels.cohen_kappa),
    *(ClassScore(measure, measure, "binary") for measure in labels.MEASURES),
    *(
        ClassScore(f"{measure}_{average}", measure, average)
        for measure in labels.MEASURES
        for average in labels.AVERAGES
    ),
    RankScore("roc_auc", "area"),
    ManyRankScore("roc_auc_ovr", "area", "macro", needs="probabilities"),
    ManyRankScore("roc_auc_ovr_weighted", "area", "weighted", needs="probabilities"),
    PairedRankScore("roc_auc_ovo", "area", "macro", needs="probabilities"),
    PairedRankScore("roc_auc_ovo_weighted", "area", "weighted", needs="probabilities"),
    RankScore("average_precision", "precision", 1),
    TopScore("top_k_accuracy"),
    LossScore("neg_log_loss", log_loss),
    LossScore("neg_brier_score", brier_loss),
    LossScore("d2_log_loss_score", log_loss, is_relative=True),
    LossScore("d2_brier_score", brier_loss, is_relative=True),
    Explained("r2", numbers.squares, numbers.squares_around_mean),
    Explained("explained_variance", numbers.spread, numbers.squares_around_mean),
    Explained("d2_absolute_error_score", numbers.absolutes, numbers.absolutes_around_median),
    MinusLoss("neg_mean_squared_error", numbers.mean_square),
    MinusLoss("neg_root_mean_squared_error", numbers.root_mean_square),
    MinusLoss("neg_mean_absolute_error", numbers.mean_absolute),
    MinusLoss("neg_median_absolute_error", numbers.median_absolute),
    MinusLoss("neg_max_error", numbers.largest),
    MinusLoss("neg_mean_absolute_percentage_error", numbers.mean_percentage),
    MinusLoss("neg_mean_squared_log_error", numbers.mean_squared_log),
    MinusLoss("neg_root_mean_squared_log_error", numbers.root_mean_squared_log),
    MinusLoss("neg_mean_poisson_deviance", numbers.mean_poisson_deviance),
    MinusLoss("neg_mean_gamma_deviance", numbers.mean_gamma_deviance),
)

SCORES = {score.name: score for score in _ALL}
"""The scores by their names in scikit-learn."""

_SHORT = {"mse": "neg_mean_squared_error", "rmse": "neg_root_mean_squared_error"}


def score_of(given: Any, *needs: Needs) -> Score:
    """Return the score of this name, or the score itself; raise unless it needs one of these."""
    score = SCORES.get(_SHORT.get(given, given)) if isinstance(given, str) else given
    if not isinstance(score, Score) or score.needs not in needs:
        raise InputError(f"`score` must be scikit-learn's name of a score of {' or '.join(needs)}, got {given!r}.")
    return score
