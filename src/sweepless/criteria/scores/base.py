"""The seam between models and scores: a score says what it needs of a fold, and values many candidates at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from sweepless._typing import AnyArray, Counts, Mask, Values
from sweepless.criteria.folds import Folds, number_of_folds
from sweepless.kernels.scores import elect

Needs: TypeAlias = Literal["labels", "outputs", "probabilities", "numbers"]
"""Predicted classes, outputs of `decision_function` (of `predict_proba` without one), probabilities, or numbers."""

FoldScore: TypeAlias = Callable[..., Values]
"""The score of one fold: takes what is predicted there by every candidate, returns one value per candidate."""


@dataclass(frozen=True, repr=False)
class Score(ABC):
    """A score of scikit-learn: a frozen, comparable, printable value without data.

    Attributes
    ----------
    name : str
        As in scikit-learn: greater is better.
    needs : {"labels", "outputs", "probabilities", "numbers"}
        What is passed to the score of a fold. Labels are codes of classes, int64 of shape (candidate, sample). Numbers
        are doubles of that shape. Outputs and probabilities come as `Outputs`.
    cost : float
        About how many nanoseconds one candidate takes in one fold, if that is more than its predictions take.
    """

    name: str
    needs: ClassVar[Needs]
    cost: ClassVar[float] = 0.0

    def __repr__(self) -> str:
        return repr(self.name)

    @abstractmethod
    def bind(self, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> FoldScore:
        """Return the score of one fold.

        Whatever depends on the truth alone is computed here. The values depend on each candidate's own predictions
        only, bit for bit; NaN stands where rounding would decide, or where scikit-learn has no value.

        Parameters
        ----------
        truth : array
            The codes of the tested samples, or the numbers to predict.
        classes : array
            The labels of all codes, ascending; empty for numbers.
        perfect : float
            Predicted numbers whose squared errors sum up to no more than this may be right but for rounding.
        """

    def objection(self, classes: AnyArray, folds: list[AnyArray]) -> str | None:
        """Return why scikit-learn has no such score on folds with this truth; None if it has."""
        return None


class Outputs(NamedTuple):
    """What candidates say about every class and sample, and how sure that is.

    Attributes
    ----------
    values : array of shape (candidate, output, sample)
        One output per class; or a single margin, positive for the second of two classes.
    doubts : array of shape (candidate, 3)
        Another arithmetic may swap two outputs, of which v is the greater, if they differ by no more than a + b |v| +
        c |v (1 - v)|; the last term is for probabilities, where c is what log odds may be off by.
    exact : tuple of float
        Equal outputs up to the first number, and from the second on, are equal in any arithmetic.
    rows : callable, optional
        Returns, for one candidate, a row of values per sample; so are the outputs of samples with equal rows.
    settled : array of shape (candidate, sample), optional
        Samples for which the first of the greatest outputs wins in any arithmetic.
    n_votes : int
        All outputs are shares of so many votes; 0 if they are not. Such outputs are ranked without sorting.
    """

    values: Values
    doubts: Values
    exact: tuple[float, float]
    rows: Callable[[int], Values] | None = None
    settled: Mask | None = None
    n_votes: int = 0

    @staticmethod
    def counted(values: Values, n_votes: int = 0) -> Outputs:
        """Return outputs without rounding errors, such as shares of votes."""
        never = np.tile([-1.0, 0.0, 0.0], (len(values), 1))
        return Outputs(values, never, (np.inf, -np.inf), n_votes=n_votes)

    @staticmethod
    def margins(values: Values, doubts: Values) -> Outputs:
        """Return outputs of which another arithmetic may swap any two that are no farther apart than the doubts."""
        nothing = np.zeros(len(doubts))  # not a product, since doubts may be infinite
        return Outputs(values, np.column_stack([doubts, nothing, nothing]), (-np.inf, np.inf))

    def some(self, chosen: Counts) -> Outputs:
        """Return the outputs of some candidates, given their places."""
        rows, settled = self.rows, self.settled
        return self._replace(
            values=self.values[chosen],
            doubts=self.doubts[chosen],
            rows=rows and (lambda m: rows(int(chosen[m]))),
            settled=None if settled is None else settled[chosen],
        )

    def winners(self) -> tuple[Counts, Mask]:
        """Return the class of the greatest output, the first of equal ones, and whether each candidate is sure of all.

        Labels are of shape (candidate, sample).
        """
        n_candidates, _, n_samples = self.values.shape
        labels, is_sure = np.empty((n_candidates, n_samples), dtype=np.int64), np.empty(n_candidates, dtype=np.bool_)
        settled = np.empty((n_candidates, 0), dtype=np.bool_) if self.settled is None else self.settled
        elect(self.values, self.doubts, settled, labels, is_sure)
        return labels, is_sure


class Single(NamedTuple):
    """Outputs that are 1 for one class of every sample and 0 for all others: a single vote.

    For losses it is enough that hits are on the diagonal.
    """

    tables: Counts  # (candidate, true class, predicted class)


class Shares(NamedTuple):
    """Outputs of two classes that are shares of votes, of which only the numbers of samples are known."""

    tables: Counts  # (candidate, true class, votes for it)


class Lines(NamedTuple):
    """The lines of outputs that are to be ranked, one after the other."""

    codes: Counts  # the class of every line
    marks: AnyArray  # the marks of the samples (kernels.keys), for every line, filled up to whole vectors
    n_bits: int  # of a mark


class Keyed(NamedTuple):
    """Outputs that are known well enough to rank most of them, and in full for few candidates.

    Attributes
    ----------
    n_candidates : int
    fill : callable
        Fills in the keys of lines, of shape (candidate, sample of a line), and the limits of candidates (kernels.keys).
    outputs : callable
        Returns the outputs of some candidates, given their places.
    """

    n_candidates: int
    fill: Callable[[Lines, AnyArray, Counts], None]
    outputs: Callable[[Counts], Outputs]


class BoundScore:
    """A score on one fold, whatever the model predicts; an empty fold counts 0 (semantics: folds)."""

    def __init__(self, score: Score, truth: AnyArray, classes: AnyArray, perfect: float = 0.0) -> None:
        self._takes_labels = score.needs == "labels"
        self._value = score.bind(truth, classes, perfect) if len(truth) else _nothing

    def __call__(self, predicted: AnyArray | Outputs | Keyed | Single | Shares) -> Values:
        """Return the values of numbers, of labels, of outputs, or of the classes that win by outputs."""
        if not (self._takes_labels and isinstance(predicted, Outputs)):
            return self._value(predicted)
        labels, is_sure = predicted.winners()
        return np.where(is_sure, self._value(labels), np.nan)


def _nothing(predicted: AnyArray | Outputs | Keyed | Single | Shares) -> Values:
    if isinstance(predicted, Keyed):
        return np.zeros(predicted.n_candidates)
    if isinstance(predicted, Single | Shares):
        predicted = predicted.tables
    return np.zeros(len(predicted.values if isinstance(predicted, Outputs) else predicted))


def cost_of(score: object, folds: Folds, n_samples: int) -> float:
    """Return how many nanoseconds a candidate takes besides its predictions."""
    n_folds = 1 if folds == "loo" else number_of_folds(folds, n_samples)
    return score.cost * n_folds if isinstance(score, Score) else 0.0


def mean_over_folds(values: Sequence[Values]) -> Values:
    """Average in the order of the folds."""
    total = np.zeros(len(values[0]))
    for each in values:
        total += each
    return np.asarray(total / len(values))
