"""Support vector machines by cross-validation, on kernels that are updated from step to step."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.svm import SVC

from sweepless._checks import one_of, positive
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.class_weights import ClassWeight, checked_class_weight, require_weights
from sweepless.criteria.folds import Partition, Split, checked_folds, number_of_folds, training_parts
from sweepless.criteria.sample_weights import Weighable
from sweepless.criteria.scores.base import BoundScore, Needs, Outputs, Score, mean_over_folds
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.errors import InputError
from sweepless.kernels.radial import radial, shift_squares

_ROUNDING = 2.0**-51
_LARGEST_LOSS = 2.0**-40
_LARGEST_GAMMA = 1e300
_CLOSE = 2.0**-38  # decisions in units of the coefficients: more than the rounding of the kernel may change


@dataclass(frozen=True, repr=False)
class SVM(Weighable):
    """Mean score over the folds of a support vector machine with a radial basis kernel, by default its accuracy.

    Parameters
    ----------
    C : float
        The price of a margin violation.
    gamma : "scale", "auto" or float
        The width of the kernel exp(-gamma d²). "scale" is 1 / (k v) for a subset of k features whose values
        have variance v over the training part of the fold, "auto" is 1 / k, as in scikit-learn.
    folds : int, Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or given folds, also as
        an array of the fold of each sample; or one given split.
    ties : {"zero", "nan"}
        A decision of zero, up to rounding, is taken as computed ("zero"), or the subset has no value ("nan"), as the
        native dispatch of selectors needs it. It occurs if some samples of two classes are equal in all members.
    score : str or Score
        The name of a score of scikit-learn that needs predicted classes or outputs.
    class_weight : None, "balanced" or one weight per class
        Factors of `C`; "balanced" is inversely proportional to the sizes of the classes in each training part.
    n_jobs : int or "auto"
        Threads over candidates, -1 for all cores; the values do not depend on it. "auto" is one per core in a search
        whose steps are long enough, and one everywhere else.

    Notes
    -----
    Entries of the kernel are rounded in the same way as by scikit-learn's solver. This makes J a function of the
    subset, and the machine the one that `SVC` finds. A peek computes the kernel in O(n²) per candidate for any size of
    the subset, exactly as from scratch. The solver then takes most of the time.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import SVM
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(SVM().bind(data).evaluate([2, 3]), 4)
    0.9538
    """

    C: float = 1.0
    gamma: Literal["scale", "auto"] | float = "scale"
    folds: int | Partition | Split = 3
    ties: Literal["zero", "nan"] = "zero"
    score: str | Score = "accuracy"
    class_weight: ClassWeight = None
    n_jobs: int | Literal["auto"] = field(default="auto", repr=False, compare=False)

    def __post_init__(self) -> None:
        positive("C", self.C)
        if isinstance(self.gamma, str):
            if self.gamma not in ("scale", "auto"):
                raise InputError(f"`gamma` must be scale, auto or a positive number, got {self.gamma!r}.")
        else:
            positive("gamma", self.gamma)
        object.__setattr__(self, "folds", checked_folds(self.folds, Split))
        one_of("ties", self.ties, ("zero", "nan"))
        score_of(self.score, "labels", "outputs")
        object.__setattr__(self, "class_weight", checked_class_weight(self.class_weight))

    def bind(self, data: Dataset) -> SVMCursor:
        return SVMCursor(self, data)

    def operations(self, data: Dataset, size: int) -> float:
        # Measured by three folds: some 10 ms at 60 samples, 35 ms at 300.
        return number_of_folds(self.folds, data.n_samples) * (3e6 + 100.0 * data.n_samples**2)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the machine trained on all of `train`, without labels that it does not know."""
        members = require_members(members)
        codes, n_train = codes_known_to(train, test), train.n_samples
        known = np.flatnonzero(codes >= 0)
        part = _Part(np.arange(n_train), n_train + known)
        columns = np.hstack([train.columns(members), test.columns(members)])
        kernel = _kernel_by_definition(columns, _squares(columns), part, self.gamma_of(columns, part))
        fold = self.fold(part, np.concatenate([train.codes, codes]), train.classes)
        value = replace(self, ties="zero").value(kernel, fold)
        # A label that the machine does not know is never right.
        return round(value * len(known)) / test.n_samples if self.score == "accuracy" else value

    def fold(self, part: _Part, codes: Counts, classes: AnyArray) -> _Fold:
        """Return what is known about a fold before any kernel."""
        score = score_of(self.score, "labels", "outputs")
        truth = codes[part.test]
        return _Fold(codes[part.train], truth, len(classes), score.needs, BoundScore(score, truth, classes))

    def value(self, kernel: Values, fold: _Fold) -> float:
        """Return the score on the tested samples of a machine trained on the others."""
        trained, tested = fold.trained, fold.tested
        present = np.unique(trained)
        if len(tested) == 0 or len(present) == 0:
            return 0.0
        if len(present) == 1:  # nothing to separate: the answer is always the one class
            return float(fold.score(np.full((1, len(tested)), present[0]))[0]) if fold.needs == "labels" else np.nan
        weights = dict(enumerate(self.class_weight)) if isinstance(self.class_weight, tuple) else self.class_weight
        machine = SVC(C=self.C, kernel="precomputed", class_weight=weights, decision_function_shape="ovo")
        machine.fit(kernel[: len(trained)], trained)
        decisions = machine.decision_function(kernel[len(trained) :])
        doubt = _CLOSE * (1.0 + float(np.abs(machine.dual_coef_).sum()))
        if self.ties == "nan" and (fold.needs == "labels" or len(present) > 2) and np.min(np.abs(decisions)) <= doubt:
            return np.nan
        if fold.needs == "labels":
            return float(fold.score(machine.classes_[_elected(decisions, len(present))][None])[0])
        if len(present) < fold.n_classes:
            return np.nan
        machine.decision_function_shape = "ovr"  # one output per class, as `SVC` has it by default
        margins = machine.decision_function(kernel[len(trained) :]).T.reshape(1, -1, len(tested))
        if self.ties == "zero":
            return float(fold.score(Outputs.counted(margins))[0])
        return float(fold.score(Outputs.margins(margins, np.array([2.0 * fold.n_classes * doubt])))[0])

    def gamma_of(self, columns: Values, part: _Part) -> float:
        """Return gamma of a subset by the operations of scikit-learn, since some roundings depend on its last bit."""
        if self.gamma == "auto":
            return 1.0 / len(columns)
        if self.gamma != "scale":
            return float(self.gamma)
        with np.errstate(over="ignore", invalid="ignore"):
            spread = (
                float(len(columns) * np.ascontiguousarray(columns[:, part.train].T).var()) if len(part.train) else 0.0
            )
        if not spread < np.inf:
            return 1.0 / np.finfo(np.float64).max
        return min(1.0 / spread, _LARGEST_GAMMA) if spread > 0.0 else 1.0


@dataclass(frozen=True)
class _Part:
    """One fold: the samples to train on, and those to test."""

    train: Counts
    test: Counts


class _Fold(NamedTuple):
    """The classes of one fold, and the score that is bound to it."""

    trained: Counts
    tested: Counts
    n_classes: int
    needs: Needs
    score: BoundScore


class SVMCursor(Cursor):
    """Keeps the squared distances of the working subset; fits a machine per candidate and fold."""

    _features: Features  # the members, ascending
    _columns: Values  # their values, one feature per row
    _widths: Values  # their squared ranges, whose sum bounds any squared distance
    _squares: Values
    _lost: float  # a bound on what the incremental squares have lost

    def __init__(self, criterion: SVM, data: Dataset) -> None:
        super().__init__(data)
        data.require_classes()
        data.require_variation()
        self.criterion = criterion
        require_weights(criterion.class_weight, data)
        parts = training_parts(criterion.folds, data.codes, data.name)
        self._parts = [_Part(train, test) for train, test in parts]
        self._folds = [criterion.fold(part, data.codes, data.classes) for part in self._parts]
        self._rebuild()

    def evaluate(self, members: Features) -> float:
        columns = self.data.columns(require_members(members))
        squares = _squares(columns)
        gammas = [self.criterion.gamma_of(columns, part) for part in self._parts]
        return self._mean(
            [_kernel_by_definition(columns, squares, part, gamma) for part, gamma in zip(self._parts, gammas)]
        )

    def _mean(self, kernels: list[Values]) -> float:
        values = [np.array([self.criterion.value(*each)]) for each in zip(kernels, self._folds, strict=True)]
        return float(mean_over_folds(values)[0])

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        places = np.searchsorted(self._features, candidates).tolist()
        columns = self.data.columns(candidates)
        n_jobs = 1 if self.criterion.n_jobs == "auto" else effective_n_jobs(self.criterion.n_jobs)
        if n_jobs == 1 or len(candidates) == 1:
            return np.array([self._value(direction, place, column) for place, column in zip(places, columns)])
        with ThreadPoolExecutor(n_jobs) as threads:
            return np.array(list(threads.map(partial(self._value, direction), places, columns)))

    def _value(self, direction: Direction, place: int, column: Values) -> float:
        reach = float(self._widths.sum()) + _width(column)
        distance = self._lost + _ROUNDING * (len(self._features) + 4) * reach
        kernels = []
        neighbor = direction.spliced_rows(self._columns, place, column)
        for part in self._parts:
            gamma = self.criterion.gamma_of(neighbor, part)
            error = gamma * distance + _ROUNDING
            kernels.append(
                radial(
                    self._squares,
                    float(direction.sign),
                    place,
                    column,
                    self._columns,
                    gamma,
                    error,
                    part.train,
                    part.test,
                )
            )
        return self._mean(kernels)

    def _step(self, direction: Direction, feature: int) -> None:
        column = self.data.columns([feature])[0]
        place = int(np.searchsorted(self._features, feature))
        before = float(self._widths.sum())
        self._features = direction.spliced(self._features, place, feature)
        self._columns = direction.spliced_rows(self._columns, place, column)
        self._widths = direction.spliced(self._widths, place, _width(column))
        shift_squares(self._squares, column, float(direction.sign))
        self._lost += _ROUNDING * max(before, float(self._widths.sum()))
        # After a wide feature is removed, its rounding errors would hide the narrow ones from the filter.
        if not self._lost <= _LARGEST_LOSS * float(self._widths.sum()):
            self._resum()

    def _rebuild(self) -> None:
        self._features = np.flatnonzero(self.members)
        self._columns = self.data.columns(self._features)
        self._widths = np.array([_width(column) for column in self._columns])
        self._resum()

    def _resum(self) -> None:
        self._squares = _squares(self._columns)
        self._lost = float(_ROUNDING * len(self._columns) * self._widths.sum())


def _elected(decisions: Values, n_classes: int) -> Counts:
    """Return the class that wins most pairs, the lowest of equal ones; of two classes the second if positive."""
    if n_classes == 2:
        return np.asarray(decisions > 0.0, dtype=np.int64)
    votes = np.zeros((len(decisions), n_classes), dtype=np.int64)
    for pair, (first, second) in enumerate(combinations(range(n_classes), 2)):
        votes[:, first] += decisions[:, pair] > 0.0
        votes[:, second] += decisions[:, pair] <= 0.0
    return np.asarray(np.argmax(votes, axis=1))


def _squares(columns: Values) -> Values:
    """Return all squared distances, summed in the order of the columns."""
    squares = np.zeros((columns.shape[1],) * 2)
    for column in columns:
        shift_squares(squares, column, 1.0)
    return squares


def _kernel_by_definition(columns: Values, squares: Values, part: _Part, gamma: float) -> Values:
    # The exponential may differ by a bit between compiled loops: near a rounding boundary the scalar one decides.
    return radial(squares, 0.0, -1, columns[0], columns, gamma, _ROUNDING, part.train, part.test)


def _width(column: Values) -> float:
    """Return the squared range, by a product, which overflows to infinity where a power would raise."""
    width = float(np.ptp(column))
    return width * width
