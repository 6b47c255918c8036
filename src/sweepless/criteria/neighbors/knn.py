"""k-NN by cross-validation: the wrapper criterion of the paper, and smooth scores of the votes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from sweepless._checks import one_of, whole
from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.base import Criterion, Cursor, require_members
from sweepless.criteria.composite import Mean
from sweepless.criteria.folds import Folds, Partition, Split, checked_folds, number_tested
from sweepless.criteria.neighbors.ballots import Ballots, Counting, Hits, OwnVotes, Points
from sweepless.criteria.neighbors.counted import KNNCursor
from sweepless.criteria.neighbors.layout import holdout
from sweepless.criteria.neighbors.repeated import RepeatedKNNCursor
from sweepless.criteria.neighbors.votes import VOTE_SCORES, VoteScore
from sweepless.criteria.scores.base import Needs, Score, cost_of
from sweepless.criteria.scores.names import score_of
from sweepless.criteria.scoring import codes_known_to
from sweepless.dataset import Dataset
from sweepless.kernels.neighbors.definition import Frame, count_correct_by_definition

_NEEDS: tuple[Needs, ...] = ("labels", "outputs", "probabilities")


@dataclass(frozen=True)
class KNN(Criterion):
    """Mean score over the folds of a k-NN classifier, by default its accuracy.

    Parameters
    ----------
    n_neighbors : int
        The nearest `n_neighbors` samples vote; equal votes go to the lowest class.
    folds : int, "loo", Partition or Split
        Number of positional stratified folds, contiguous within each class and not shuffled; or leave-one-out; or
        given folds, also as an array of the fold of each sample; or one given split; or several partitions into given
        folds, also as an array with one partition per row.
    ties : {"class", "index"}
        Which of several equally distant samples counts as nearer: the one of the lowest class, then of the lowest
        row (as in the paper), or simply that of the lowest row (as in scikit-learn). On sparse or discrete data this
        changes results, so it is part of the criterion.
    metric : {"euclidean", "manhattan"}
    score : str or Score
        The accuracy, or minus a loss of the shares that the classes have of the votes, which tells more subsets apart:
        "brier" is minus the Brier score, from -1 to 0, and "log_loss" minus the logarithmic loss, for which no class
        counts as less than half a vote. Or the name of another score of scikit-learn for classifiers.
    n_jobs : int or "auto"
        Threads over candidates, -1 for all cores; the values do not depend on it. "auto" is one per core in a search
        whose steps are long enough, and one everywhere else.
    memory_limit : int
        The most bytes that the distances of the working subset may take: 8 per pair of samples. Above this limit those
        of a sample are computed whenever its list of near samples proves too little, with a warning.

    Notes
    -----
    A peek costs O(n²) per candidate at worst and mostly O(n), for any size of the subset.
    Values are exactly those of the definition: doubles summed in ascending feature order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sweepless import Dataset
    >>> from sweepless.criteria import KNN
    >>> data = Dataset(*load_iris(return_X_y=True))
    >>> round(KNN().bind(data).evaluate([2, 3]), 4)
    0.9669
    """

    n_neighbors: int = 1
    folds: Folds = 3
    ties: Literal["class", "index"] = "class"
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    score: str | Score = "accuracy"
    n_jobs: int | Literal["auto"] = field(default="auto", repr=False, compare=False)
    memory_limit: int = field(default=4 * 2**30, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        object.__setattr__(self, "folds", checked_folds(self.folds, "loo", Split))
        one_of("ties", self.ties, ("class", "index"))
        one_of("metric", self.metric, ("euclidean", "manhattan"))
        if self.score not in VOTE_SCORES:
            score_of(self.score, *_NEEDS)
        whole("memory_limit", self.memory_limit, 0)

    def __repr__(self) -> str:
        metric = "" if self.metric == "euclidean" else f", metric={self.metric!r}"
        score = "" if self.score == "accuracy" else f", score={self.score!r}"
        return f"KNN(n_neighbors={self.n_neighbors}, folds={self.folds!r}, ties={self.ties!r}{metric}{score})"

    def bind(self, data: Dataset) -> Cursor:
        if not isinstance(self.folds, Partition) or self.folds.repeats == 1:
            return KNNCursor(self, self.folds, data)
        if self.n_neighbors > 1 and self.score in VOTE_SCORES:
            return RepeatedKNNCursor(self, self.folds, data)
        # The lists of one neighbor are faster for each partition by itself than all distances for all partitions.
        share = self.memory_limit // self.folds.repeats
        return Mean([replace(self, folds=each, memory_limit=share) for each in self.folds.each()]).bind(data)

    def operations(self, data: Dataset, size: int) -> float:
        # Several declare what they took before lists: true costs buy full sweeps, which found nothing better.
        each = 30.0 + data.n_samples / 50 if self.n_neighbors == 1 else 8.0 * data.n_samples
        return number_tested(self.folds, data.n_samples) * each + cost_of(self.score, self.folds, data.n_samples)

    def validate(self, train: Dataset, test: Dataset, members: Features) -> float:
        """Return the score on `test` of the classifier trained on all of `train`."""
        members = require_members(members)
        n_neighbors = min(self.n_neighbors, train.n_samples)
        codes = codes_known_to(train, test)
        columns = np.hstack([train.columns(members), test.columns(members)])
        if self.score not in VOTE_SCORES:  # which know nothing of a class that was not trained on
            columns, codes = columns[:, np.append(np.full(train.n_samples, True), codes >= 0)], codes[codes >= 0]
        frame = holdout(train.codes, codes, self.ties)
        counting = self.counting(n_neighbors, frame, 1, np.append(train.codes, codes), train.classes)
        return float(counting.values(self.count_by_definition(counting, columns, n_neighbors)[:, None])[0])

    def counting(self, n_neighbors: int, frame: Frame, n_accounts: int, truth: Counts, classes: AnyArray) -> Counting:
        """Return what is to be counted, and its value."""
        if isinstance(self.score, str) and self.score in VOTE_SCORES:
            return Points(VoteScore(self.score, n_neighbors), frame, n_accounts)
        score = score_of(self.score, *_NEEDS)
        if Hits.suffice(score, n_neighbors, len(classes)):
            return Hits(score, frame, n_accounts, truth, classes)
        if OwnVotes.suffice(score, n_neighbors, len(classes)):
            return OwnVotes(score, n_neighbors, frame, n_accounts, truth, classes)
        return Ballots(score, n_neighbors, frame, n_accounts, truth, classes)

    def count_by_definition(self, counting: Counting, columns: Values, n_neighbors: int) -> Counts:
        """Return the counts of every round and account for the subset whose columns, ascending, are given."""
        manhattan = self.metric == "manhattan"
        counts = [
            count_correct_by_definition(frame, columns, n_neighbors, counting.n_accounts, manhattan, gains)
            for frame, gains in counting.rounds
        ]
        return np.stack(counts)
