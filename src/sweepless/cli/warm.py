"""`sweepless warm`: compile every kernel ahead, so that no search waits for it."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from typing import Any

from sweepless.cli import arguments
from sweepless.cli.output import add_json, put_json, require_json, say
from sweepless.cli.parser import add_command


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "warm",
        warm,
        "compile everything ahead; later processes start from the cache",
        guide="command-line",
        examples=("warm", "warm --n-jobs -1"),
    )
    arguments.add_n_jobs(parser, default=1, what="processes")
    add_json(parser)


def warm(parsed: argparse.Namespace) -> int:
    require_json(parsed)
    began, works = time.monotonic(), []
    for name, seconds in _timed(parsed.n_jobs):
        works.append({"name": name, "seconds": seconds})
        say(parsed, f"{name:<30}{seconds:6.1f} s")
    seconds = time.monotonic() - began
    say(parsed, f"{'all':<30}{seconds:6.1f} s")
    return put_json(parsed, {"works": works, "seconds": seconds})


def _timed(n_jobs: int) -> Iterator[tuple[str, float]]:
    """Do all works; the first one alone, because the others need what it compiles."""
    first, *others = (name for name, _ in _works())
    yield _done(first)
    if n_jobs == 1:
        yield from map(_done, others)
        return
    from joblib import Parallel, delayed

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped")  # and was replaced: compilers grow
        yield from Parallel(n_jobs, return_as="generator_unordered")(delayed(_done)(name) for name in others)


def _done(name: str) -> tuple[str, float]:
    """Do the work of a name; return the seconds that it took."""
    work, began = dict(_works())[name], time.monotonic()
    work()
    return name, time.monotonic() - began


def _works() -> Iterator[tuple[str, Any]]:
    """Name small searches that together use every kernel, one after the other."""
    import numpy as np

    import sweepless as sw
    from sweepless import criteria
    from sweepless.criteria.discriminant.linear import LinearDiscriminant
    from sweepless.criteria.discriminant.quadratic import QuadraticDiscriminant
    from sweepless.criteria.linear.least_squares import LeastSquares
    from sweepless.criteria.neighbors.distance import DistanceKNN
    from sweepless.engine.folds import FastFold
    from sweepless.search import StopReason, WarmUp
    from sweepless.search.proposal import Pool
    from sweepless.validation.judges import trees

    data = sw.make_madelon(n_samples=60, n_features=25, n_redundant=5)
    counts = sw.Dataset(data.X, data.codes)
    alike = sw.Dataset(np.rint(data.X / 40.0), data.codes)  # some are equally probable but for digits
    real = sw.Dataset(data.X, data.X[:, 0] + 0.5)
    positive = sw.Dataset(data.X, np.abs(real.target))
    rough = sw.Dataset(data.X, data.X[:, 0] + 500.0 * np.sin(np.arange(data.n_samples) ** 2))  # nothing fits it exactly
    apart = sw.Dataset(data.X, (data.X[:, 0] > np.median(data.X[:, 0])).astype(int))
    three = sw.Dataset(data.X, np.arange(data.n_samples) % 3)
    tied = sw.Dataset(np.maximum(data.X, np.quantile(data.X, 0.9, axis=0)), data.codes)  # most samples coincide
    many = sw.make_madelon(n_samples=40, n_features=5000)
    sampled: dict[str, Any] = {"target": 3, "overshoot": 1, "budget": 8, "backward_budget": 3, "warm_up": WarmUp(5, 3)}

    def computed_anew() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it is slower
            for neighbors in (1, 3):
                search(criteria.KNN(neighbors, memory_limit=0))()

    def search(criterion: criteria.Criterion, on: sw.Dataset = data, **options: Any) -> Any:
        def work() -> None:
            if sw.run("sSFFS", criterion, on, **(sampled | options)).stop_reason is StopReason.INTERRUPTED:
                raise KeyboardInterrupt  # a search hands over what it found, and the next one would begin

        return work

    def discriminants() -> None:
        for criterion in (
            LinearDiscriminant(),
            LinearDiscriminant("lsqr", "auto"),
            LinearDiscriminant(score="f1_macro"),
        ):
            criterion.bind(three).evaluate(np.arange(2))
        QuadraticDiscriminant(score="neg_log_loss").bind(data).evaluate(np.arange(2))

    def ranks() -> None:
        for criterion, on in (
            (criteria.GaussianNB(score="roc_auc", ties="nan"), data),
            (criteria.MultinomialNB(score="average_precision", ties="nan"), alike),
            (LinearDiscriminant(score="roc_auc_ovo"), three),
            (criteria.LinearModel(score="roc_auc_ovr"), three),
        ):
            cursor = criterion.bind(on)
            cursor.move(sw.Direction.ADD, 0)
            cursor.peek(sw.Direction.ADD, np.arange(1, 4))

    def floor() -> None:
        statistics = sw.search.ContrastStatistics().fresh(many.n_features, FastFold())
        statistics.count_with[:] = np.arange(many.n_features)  # late in a long search, where few are tied
        pool = Pool.but(np.arange(1), statistics.count_with, statistics.scores, 1)
        sw.search.SoftmaxProposal()(pool, 20, sw.engine.PortableRng(1))

    yield "steps and k-NN", search(criteria.KNN())
    yield "steps of the reference", search(criteria.KNN(), rng="reference", horizon=1)
    yield "steps among thousands", search(criteria.CFS(), many, horizon=1)
    yield "a late floor among thousands", floor
    yield "tuples", search(criteria.KNN(), tuple_size=2, target=4, overshoot=2)
    for on, name in ((data, "two"), (three, "three")):
        yield f"k-NN by vote of {name}", search(criteria.KNN(n_neighbors=3), on)
        yield f"k-NN by loss of votes of {name}", search(criteria.KNN(n_neighbors=3, score="brier"), on)
    for neighbors, score, on in (
        (1, "f1_macro", three),
        (3, "f1_macro", three),
        (3, "roc_auc_ovr", three),
        (3, "f1", data),
        (3, "roc_auc", data),
    ):
        yield f"k-NN of {neighbors} by {score}", search(criteria.KNN(neighbors, score=score), on)
    yield "k-NN with ties", search(criteria.KNN(), tied)
    yield "k-NN by vote with ties", search(criteria.KNN(n_neighbors=3), tied)
    yield "k-NN by loss of votes with ties", search(criteria.KNN(n_neighbors=3, score="brier"), tied)
    yield "k-NN by repeated folds", search(criteria.KNN(3, criteria.Partition([[0, 1] * 30] * 2)))
    yield "k-NN by definition", lambda: criteria.KNN().bind(data).evaluate(np.arange(2))
    yield "k-NN without distances kept", computed_anew
    yield "k-NN regression", search(criteria.KNNRegression(), real)
    yield "k-NN weighed by distance", search(DistanceKNN(score="r2", metric="manhattan"), real)
    for score in ("f1", "roc_auc", "top_k_accuracy", "d2_log_loss_score", "d2_brier_score"):
        yield f"scores: {score}", search(criteria.GaussianNB(score=score))
    yield "scores with ties", search(criteria.GaussianNB(score="roc_auc"), tied)
    sure = criteria.MultinomialNB(score="neg_log_loss", ties="nan")
    yield "ranks of sure models", ranks
    yield "scores of sure models", lambda: sure.bind(counts).evaluate(np.arange(2))
    yield "scores of numbers", search(criteria.KNNRegression(score="neg_mean_squared_log_error"), positive)
    yield "soft neighbors", search(criteria.SoftNeighbors())
    yield "multinomial", search(criteria.MultinomialBhattacharyya(), counts)
    yield "Gaussian", search(criteria.GaussianBhattacharyya())
    yield "Gaussian naive Bayes", search(criteria.GaussianNB())
    yield "multinomial naive Bayes", search(criteria.MultinomialNB(), counts)
    weights = tuple(map(float, range(1, data.n_samples + 1)))
    yield "weighted naive Bayes", search(criteria.GaussianNB(sample_weight=weights))
    yield "weighted counts", search(criteria.MultinomialNB(sample_weight=weights), counts)
    yield "Gaussian naive Bayes, losses", search(criteria.GaussianNB(score="log_loss"))
    yield "multinomial, losses", search(criteria.MultinomialNB(score="log_loss"), counts)
    yield "ridge, leave-one-out", search(criteria.RidgeCriterion(), real)
    yield "ridge, folds", search(criteria.RidgeCriterion(folds=3), real)
    yield "ridge, classes", search(criteria.RidgeCriterion(score="accuracy"))
    yield "ridge, classes in folds", search(criteria.RidgeCriterion(folds=3, score="accuracy"))
    yield "least squares", search(LeastSquares(), real)
    yield "least squares, classes", search(LeastSquares(score="accuracy"))
    yield "logistic regression", search(criteria.LinearModel(score="neg_log_loss"))
    yield "logistic, several classes", search(criteria.LinearModel(), three)
    machine = criteria.LinearModel("squared_hinge", intercept_scaling=1.0)
    yield "linear machine", search(criteria.Standardized(machine))
    yield "Poisson regression", search(criteria.LogLinearModel(), positive)
    yield "gamma regression", search(criteria.LogLinearModel("gamma", score="neg_mean_gamma_deviance"), positive)
    yield "Huber regression", search(criteria.HuberModel(), rough)
    yield "information of least squares", search(criteria.InformationCriterion(), real)
    yield "information of logistic regression", search(criteria.InformationCriterion())
    yield "information of classes apart", search(criteria.InformationCriterion(), apart)
    yield "trees that judge", lambda: trees(data.X, np.eye(2)[data.codes], data.X)
    yield "discriminant analysis", discriminants
    yield "Wilks' lambda", search(criteria.WilksLambda())
    yield "correlation-based filter", search(criteria.CFS())
    yield "joint information filter", search(criteria.JointMutualInformation())
    yield "RBF-SVM", search(criteria.SVM())
