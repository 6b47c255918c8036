"""BIF and DAF rank the features once; a subset of any size is a prefix of the ranking."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.engine.generator import Rng
from sweepless.errors import InputError
from sweepless.search.archive import Record
from sweepless.search.cost_model import CostModel
from sweepless.search.step import Operators, Step
from sweepless.search.sweep import Sweep
from sweepless.search.walk import Walk

if TYPE_CHECKING:
    from sweepless.search.result import Result

_BLOCK_MEMBERS = 1 << 22  # members of the probes that are drawn and valued at a time

Ties = Literal["low", "high"]
"""Which of equally scored features ranks first: the lower index, or the higher as in FST (A36)."""


@dataclass(frozen=True)
class Ranking:
    """All features, the best first, and the scores that rank them."""

    order: Features
    scores: Values

    @staticmethod
    def by(scores: Values, ties: Ties = "low", valid: Mask | None = None) -> Ranking:
        """Rank by descending score; features that are not `valid` come last, by index (A38)."""
        _check_ties(ties)
        index = np.arange(len(scores))
        key = np.where(True if valid is None else valid, -scores, np.inf)
        tie = np.where(np.isinf(key), index, index if ties == "low" else -index)
        return Ranking(np.lexsort((tie, key)), scores)


def _check_ties(ties: object) -> None:
    if ties not in ("low", "high"):
        raise InputError(f"`ties` of a ranking must be 'low' or 'high', got {ties!r}.")


@dataclass(frozen=True)
class RankedStep:
    """Finds the next features of a ranking and values only the subset that they lead to."""

    ranking: Ranking
    direction: Direction = Direction.ADD

    def __call__(self, walk: Walk, tuple_size: int | None = None) -> Step | None:
        order = self.ranking.order
        following = order[~walk.members[order]][: tuple_size or 1]
        if len(following) == 0:
            return None
        return walk.evaluate(self.direction, following[None, :]).best()


class _RankingSteps(Protocol):
    """Steps along a ranking that is made before the first step."""

    tuple_size: int

    @abstractmethod
    def rank(self, walk: Walk, rng: Rng) -> Ranking: ...

    @abstractmethod
    def preparation_cost(self, n_features: int) -> int: ...

    def prepare(self, walk: Walk, rng: Rng) -> Operators:
        ranking = self.rank(walk, rng)
        return Operators(RankedStep(ranking), Sweep(Direction.REMOVE), ranking=ranking)

    def step_cost(self, direction: Direction, size: int, n_features: int, tuple_size: int) -> int:
        return 1


@dataclass(frozen=True)
class IndividualSteps(_RankingSteps):
    """BIF: best individual features.

    Parameters
    ----------
    measure : str, optional
        None ranks by the criterion itself, which takes D evaluations. A name ranks by a measure that the criterion
        offers for single features ("mutual_information", "bhattacharyya") and takes no evaluations.
    ties : {"low", "high"}
    """

    measure: str | None = None
    ties: Ties = "low"
    tuple_size: int = field(default=1, init=False)

    def __post_init__(self) -> None:
        _check_ties(self.ties)

    def rank(self, walk: Walk, rng: Rng) -> Ranking:
        values = walk.singles() if self.measure is None else walk.cursor.individual(self.measure)
        return Ranking.by(values, self.ties)

    def preparation_cost(self, n_features: int) -> int:
        return n_features if self.measure is None else 0


@dataclass(frozen=True)
class DependencySteps(_RankingSteps):
    """DAF0, DAF1: dependency-aware ranking from random probes.

    Parameters
    ----------
    normalized : bool
        False is DAF0, the difference between the mean values of probes with f and without f. True is DAF1, which
        divides this difference by the weighted deviations of the two groups.
    n_probes : int, optional
        Number of probes; None if `max_cost` determines it.
    probe_sizes : (int, int)
        The sizes of probes are drawn uniformly between these two and clipped to the number of features.
    max_cost, cost_model : float and CostModel, optional
        Draw probes until their modelled cost reaches `max_cost` (A40).
    drop_duplicates : bool
        Count equal probes once, as FST does (A37).
    ties : {"low", "high"}
    """

    normalized: bool = False
    n_probes: int | None = 10_000
    probe_sizes: tuple[int, int] = (1, 50)
    max_cost: float | None = None
    cost_model: CostModel | None = None
    drop_duplicates: bool = False
    ties: Ties = "low"
    tuple_size: int = field(default=1, init=False)

    def __post_init__(self) -> None:
        if (self.n_probes is None) == (self.max_cost is None):
            raise InputError("DAF needs either `n_probes` or `max_cost`, not both.")
        if self.n_probes is not None and (not isinstance(self.n_probes, (int, np.integer)) or self.n_probes < 1):
            raise InputError(f"`n_probes` must be a positive integer, got {self.n_probes!r}.")
        if self.max_cost is not None and not (isinstance(self.max_cost, (int, float)) and self.max_cost > 0):
            raise InputError(f"`max_cost` must be a positive number of milliseconds, got {self.max_cost!r}.")
        if self.max_cost is not None and not isinstance(self.cost_model, CostModel):
            raise InputError("`max_cost` needs a `cost_model`, got none.")
        _check_ties(self.ties)
        sizes = self.probe_sizes
        is_pair = isinstance(sizes, (tuple, list)) and len(sizes) == 2
        if (
            not is_pair
            or not all(isinstance(size, (int, np.integer)) for size in sizes)
            or not 1 <= sizes[0] <= sizes[1]
        ):
            raise InputError(
                f"`probe_sizes` must be (smallest, largest) with 1 <= smallest <= largest, got {self.probe_sizes}."
            )

    @staticmethod
    def matching(result: Result, cost_model: CostModel | None = None) -> dict[str, object]:
        """Return the options that give DAF the cost of a search: its evaluations, or its time under a cost model."""
        if cost_model is None:
            return {"n_probes": result.n_evaluations}
        return {"n_probes": None, "max_cost": result.cost(cost_model), "cost_model": cost_model}

    def rank(self, walk: Walk, rng: Rng) -> Ranking:
        draws = rng.stream("warm_up")
        again = deepcopy(draws)  # probes may need more memory than the data, so they are drawn twice instead of kept
        values: list[Values] = []
        judged = _Novelty() if self.drop_duplicates else None
        block: list[Features] = []
        for block in self._blocks(walk.n_features, draws):
            values.append(walk.probe(block, "ranking"))
            if judged is not None:
                judged.look_at(block)
        blocks = [block] if len(values) == 1 else self._blocks(walk.n_features, again)
        scores, valid = dependency_scores(
            blocks,
            np.concatenate(values),
            walk.n_features,
            self.normalized,
            None if judged is None else np.array(judged.is_new),
        )
        return Ranking.by(scores, self.ties, valid)

    def _blocks(self, n_features: int, rng: Rng) -> Iterator[list[Features]]:
        """Draw the probes in blocks with a bounded number of members."""
        sizes = self._sizes(n_features)
        most = max(1, _BLOCK_MEMBERS // sizes[1])
        if self.n_probes is not None:
            for start in range(0, self.n_probes, most):
                yield rng.subsets(n_features, sizes, min(most, self.n_probes - start))
            return
        assert self.cost_model is not None and self.max_cost is not None  # nosec B101 # only narrows the type
        spent = 0.0
        while spent < self.max_cost:
            block: list[Features] = []
            while spent < self.max_cost and len(block) < most:
                block += rng.subsets(n_features, sizes, 1)
                spent += self.cost_model.milliseconds(1, len(block[-1]))
            yield block

    def _sizes(self, n_features: int) -> tuple[int, int]:
        low, high = (min(size, n_features) for size in self.probe_sizes)
        return low, high

    def preparation_cost(self, n_features: int) -> int:
        """Return the number of probes; under `max_cost`, the number expected from the mean probe size."""
        if self.n_probes is not None:
            return int(self.n_probes)
        assert self.cost_model is not None and self.max_cost is not None  # nosec B101 # only narrows the type
        mean_size = sum(self._sizes(n_features)) / 2
        return int(np.ceil(self.max_cost / self.cost_model.milliseconds(1, mean_size)))


class _Novelty:
    """Marks the probes that were not drawn before."""

    def __init__(self) -> None:
        self.is_new: list[bool] = []
        self._seen: set[bytes] = set()

    def look_at(self, block: list[Features]) -> None:
        for probe in block:
            digest = blake2b(probe.tobytes(), digest_size=16).digest()
            self.is_new.append(digest not in self._seen)
            self._seen.add(digest)


def dependency_scores(
    blocks: Iterable[list[Features]], values: Values, n_features: int, normalized: bool, counted: Mask | None = None
) -> tuple[Values, Mask]:
    """Return DAF0 or DAF1 of every feature, and which are valid, that is, both in some probes and missing in others.

    Probes come in blocks of any length with one value per probe; those that are not `counted` are skipped.
    """
    counted = np.ones(len(values), dtype=np.bool_) if counted is None else counted
    n_probes = int(np.count_nonzero(counted))
    centered = values - values[counted].mean()  # a constant does not change the contrast, and small numbers round less
    n_in = np.zeros(n_features, dtype=np.int64)
    sum_in, square_in = np.zeros(n_features), np.zeros(n_features)
    start = 0
    for block in blocks:
        part = slice(start, start + len(block))
        start += len(block)
        probes = [probe for probe, counts in zip(block, counted[part]) if counts]
        if not probes:
            continue
        members = np.concatenate(probes)
        deviations = np.repeat(centered[part][counted[part]], [len(probe) for probe in probes])
        n_in += np.bincount(members, minlength=n_features)
        np.add.at(sum_in, members, deviations)  # one after the other, so that the length of blocks does not matter
        if normalized:
            np.add.at(square_in, members, deviations**2)
    centered = centered[counted]
    n_out = n_probes - n_in
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_in, mean_out = sum_in / n_in, (centered.sum() - sum_in) / n_out
        scores = mean_in - mean_out
        valid = (n_in > 0) & (n_out > 0)
        if normalized:
            rounding = 1e-12 * (centered**2).mean()  # a difference of squares is hardly ever exactly zero
            deviation_in, deviation_out = (
                np.sqrt(np.where(variance > rounding, variance, 0.0))
                for variance in (
                    square_in / n_in - mean_in**2,
                    ((centered**2).sum() - square_in) / n_out - mean_out**2,
                )
            )
            spread = (n_in * deviation_in + n_out * deviation_out) / n_probes
            valid &= spread > 0
            scores = scores / spread
    return np.where(valid, scores, 0.0), valid


def prefix_curve(ranking: Ranking, criterion: Criterion, data: Dataset, sizes: Iterable[int]) -> list[Record]:
    """Value the prefixes of a ranking; return one record per size in the given order."""
    cursor = criterion.bind(data)
    records: list[Record] = []
    for size in sizes:
        if not 1 <= size <= data.n_features:
            raise InputError(f"prefix sizes must be from 1 to {data.n_features}, got {size}.")
        prefix = ranking.order[:size]
        cursor.jump(prefix[:-1])
        value = float(cursor.peek(Direction.ADD, prefix[-1:])[0])
        records.append(Record(size, value, np.sort(prefix), len(records) + 1))
    return records
