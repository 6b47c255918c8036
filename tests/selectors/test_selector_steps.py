"""Budgets, warm-up, prior, proposal; what was tried and what it costs; who is told."""

from __future__ import annotations

import inspect
import logging
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import sweepless as sw
from sweepless import RankingSelector, SequentialSelector
from sweepless.criteria import FunctionCriterion
from sweepless.criteria.tie_break import TieBreak, smooth_second

DATA = sw.make_madelon(n_samples=120, n_features=80, n_redundant=10, seed=2)
X, Y = DATA.X, DATA.target
SUM = FunctionCriterion(lambda members: float(np.sum(members)))


def fitted(X=X, **options):
    return SequentialSelector(SUM, **({"random_state": 0, "max_size": 8} | options)).fit(X)


# The search is that of `run`


@pytest.mark.parametrize("method", ["SFFS", "sSFFS", "sSBFS", "sDOS"])
def test_a_selector_runs_what_run_runs(method):
    options = {"budget": 12, "backward_budget": 5} if method.startswith("s") else {}
    warm_up = {"warm_up": sw.search.WarmUp(10, 4)} if options else {}
    selector = SequentialSelector(
        sw.criteria.KNN(), method=method, n_features_to_select=4, random_state=7, **options, **warm_up
    )
    selector.fit(X, Y)
    criterion = TieBreak(sw.criteria.KNN(), smooth_second(sw.criteria.KNN(), sw.Dataset(X, Y)))
    result = sw.run(method, criterion, sw.Dataset(X, Y), target=4, seed=7, **options, **warm_up)
    assert [step.features.tolist() for step in selector.trace_] == [step.features.tolist() for step in result.trace]
    assert {size: found.value for size, found in selector.subsets_.items()} == {
        size: record.value for size, record in result.archive.items()
    }
    assert selector.n_evaluations_ == result.n_evaluations


def test_no_budget_is_the_full_sweep():
    full = SequentialSelector(sw.criteria.KNN(), budget=None, backward_budget=None, n_features_to_select=4).fit(X, Y)
    classic = SequentialSelector(sw.criteria.KNN(), method="SFFS", n_features_to_select=4).fit(X, Y)
    assert (
        full.get_support().tolist() == classic.get_support().tolist() and full.n_evaluations_ == classic.n_evaluations_
    )


def test_options_of_other_methods():
    assert fitted(method="SFS").n_features_ == 8  # defaults are not meant for it
    assert fitted(method="SFS", budget=None, warm_up=None).n_features_ == 8  # a sweep is what it does
    for name, value in (
        ("budget", 7),
        ("floor_fraction", 0.5),
        ("horizon", 3),
        ("prior", "f"),
        ("proposal", "uniform"),
    ):
        with pytest.raises(ValueError, match=f"^`{name}` is an option of sampled methods .*, got it for SFS.$"):
            fitted(method="SFS", **{name: value})


@pytest.mark.parametrize("proposal", ["softmax", "uniform", "top-k", sw.search.SoftmaxProposal(0.5)])
def test_proposals(proposal):
    selector = fitted(proposal=proposal, budget=10, n_features_to_select=3)
    wins = selector.coverage_
    assert wins.floor_wins + wins.softmax_wins + wins.sweep_wins == len(selector.trace_)
    if proposal == "uniform":
        assert wins.softmax_wins == 0 < wins.floor_wins
    if proposal == "top-k":
        assert wins.floor_wins == 0 < wins.softmax_wins
    with pytest.raises(ValueError, match="`floor_fraction` belongs to the softmax proposal"):
        fitted(proposal="uniform", floor_fraction=0.3)


# Warm-up


@pytest.mark.parametrize(("n_features", "expected"), [(100, 0), (101, 51), (500, 250), (5000, 1000)])
def test_the_automatic_warm_up_shows_every_feature_five_times(n_features, expected):
    wide = np.random.default_rng(0).normal(size=(4, n_features))
    assert fitted(wide).anatomy_.warm_up == expected


def test_a_warm_up_does_not_cost_more_than_the_search():
    wide = np.random.default_rng(0).normal(size=(4, 20_000))
    with pytest.warns(UserWarning, match=r"cut from 4,000 to 749 probes.*`warm_up='4000@25'` insists") as caught:
        selector = fitted(wide, max_size=2)
    assert caught[0].filename == __file__
    assert selector.anatomy_.warm_up == 749 == 7 * (100 + 7)  # there are at most 7 members to remove
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted(wide, max_size=2, warm_up="4000@25").anatomy_.warm_up == 4000
        assert fitted(wide, max_size=2, warm_up=None).anatomy_.warm_up == 0
        assert fitted(wide, max_size=2, warm_up=False).anatomy_.warm_up == 0


@pytest.mark.parametrize("bad", ["soon", "20@", 3, True])
def test_what_is_no_warm_up(bad):
    with pytest.raises(ValueError, match=r"warm.up"):
        fitted(warm_up=bad, budget=10)


# Prior


def test_a_prior_tells_where_to_look_first():
    wide = np.random.default_rng(0).normal(size=(30, 3000))
    rank = np.random.default_rng(1).permutation(3000)
    criterion = FunctionCriterion(lambda members: float(np.sum(rank[members])))
    options = {"method": "sSFS", "n_features_to_select": 5, "warm_up": None, "random_state": 0}
    blind = SequentialSelector(criterion, **options).fit(wide)
    told = SequentialSelector(criterion, prior=rank, **options).fit(wide)
    assert told.best_score_ > blind.best_score_ and told.best_score_ > 0.99 * np.sum(np.sort(rank)[-5:])
    assert blind.prior_ is None
    assert np.argsort(told.prior_).tolist() == np.argsort(rank).tolist()


@pytest.mark.parametrize("name", ["f", "chi2", "mutual_info"])
def test_named_priors(name):
    data, labels = load_wine(return_X_y=True)
    selector = SequentialSelector(KNeighborsClassifier(1), prior=name, budget=5, max_size=3, random_state=0)
    selector.fit(np.column_stack([data, np.ones(len(data))]), labels)
    assert selector.prior_.shape == (14,) and np.argmin(selector.prior_) == 13  # a constant says least
    if name == "f":
        np.testing.assert_allclose(selector.prior_[:13], f_classif(data, labels)[0])


@pytest.mark.parametrize("bad", ["anova", [1.0, 2.0], np.full(80, np.nan)])
def test_what_is_no_prior(bad):
    with pytest.raises(ValueError, match=r"^`prior` must be auto, one of f, chi2, mutual_info"):
        fitted(prior=bad)


def test_priors_that_do_not_fit_the_data():
    with pytest.raises(ValueError, match="not negative"):
        SequentialSelector(sw.criteria.KNN(), prior="chi2", budget=5).fit(X - 500.0, Y)
    with pytest.raises(ValueError, match="for classes"):
        SequentialSelector(prior="chi2", budget=5).fit(np.abs(X), X[:, 0])


# What was tried


def test_coverage():
    full = fitted(method="SFS", n_features_to_select=2)
    assert full.coverage_ == sw.selectors.Coverage(1.0, 80, 0, 0, 2, "no budget")
    sampled = fitted(budget=10, warm_up=None, method="sSFS", n_features_to_select=2, floor_fraction=0.0)
    assert sampled.coverage_.n_tried <= 20 and sampled.coverage_.share == sampled.coverage_.n_tried / 80
    assert sampled.coverage_.softmax_wins == 2
    floor = fitted(budget=10, warm_up=None, method="sSFS", n_features_to_select=2, floor_fraction=1.0)
    assert floor.coverage_.floor_wins == 2
    shrinking = fitted(method="SBS", n_features_to_select=79, max_size=None)
    assert shrinking.coverage_.n_tried == 80


# What it will cost


@pytest.mark.parametrize("method", ["SFS", "sSFS", "SBS", "sSBS", "BIF"])
def test_the_cost_of_straight_searches_is_known(method):
    selector = SequentialSelector(SUM, method=method, n_features_to_select=3, random_state=0)
    selector.set_params(**({"budget": 20, "backward_budget": 9} if method[0] == "s" else {}))
    estimate = selector.estimate_cost(X)
    assert estimate.evaluations == selector.fit(X).n_evaluations_ and estimate.is_exact
    assert 0 < estimate.seconds < 5
    if method == "sSFS":
        swept = SequentialSelector(SUM, method="SFS", n_features_to_select=3).fit(X)
        assert estimate.full_evaluations == swept.n_evaluations_
        assert str(estimate).startswith(f"{estimate.evaluations} evaluations, about ")


@pytest.mark.parametrize("method", ["SFFS", "sSFFS", "SFRS", "OS", "sDOS", "ASFFS", "G(l,r)"])
def test_the_cost_of_other_searches_is_a_lower_bound(method):
    selector = SequentialSelector(sw.criteria.KNN(), method=method, n_features_to_select=4, random_state=0)
    small = X[:, :15]
    estimate = selector.estimate_cost(small, Y)
    assert 0 < estimate.evaluations <= selector.fit(small, Y).n_evaluations_
    assert method == "G(l,r)" or str(estimate).startswith("at least")


def test_the_pilot_is_near_the_truth():
    selector = SequentialSelector(LogisticRegression(tol=1.0), method="SFS", n_features_to_select=2, cv=2)
    estimate = selector.estimate_cost(X[:, :10], Y)
    selector.fit(X[:, :10], Y)
    assert selector.fit_time_ / 5 < estimate.seconds < 5 * selector.fit_time_


def test_limits_are_part_of_the_cost():
    assert fitted(max_evaluations=50, warm_up=None).n_evaluations_ == 50
    assert SequentialSelector(SUM, max_evaluations=50).estimate_cost(X).evaluations == 50


# Who is told


def test_callbacks_hear_of_every_step():
    heard = []
    selector = fitted(callbacks=[heard.append], n_features_to_select=3)
    assert [progress.step.size for progress in heard if progress.step] == [step.size for step in selector.trace_]
    once = []
    fitted(callbacks=once.append, n_features_to_select=1)
    assert once
    with pytest.raises(ValueError, match="`callbacks` must be callables that take a Progress, got 3"):
        fitted(callbacks=[3])


def test_scikit_learns_callbacks():
    pytest.importorskip("sklearn.callback")
    from sklearn.callback import ProgressBar

    class Recording:
        def __init__(self, stop_at=None):
            self.calls, self.stop_at = [], stop_at

        def setup(self, estimator, context):
            self.calls.append("setup")

        def teardown(self, estimator, context):
            self.calls.append("teardown")

        def on_fit_task_begin(self, estimator, context):
            self.calls.append(f"begin {context.task_name}")

        def on_fit_task_end(self, estimator, context):
            self.calls.append(f"end {context.task_name}")
            return context.task_name == self.stop_at

    recording = Recording()
    selector = SequentialSelector(SUM, method="SFS", n_features_to_select=2).set_callbacks(recording)
    selector.fit(X)
    tasks = [f"{what} size {size}" for size in (1, 2) for what in ("begin", "end")]
    assert recording.calls == ["setup", "begin fit", *tasks, "end fit", "teardown"]
    with pytest.warns(sw.errors.IncompleteWarning, match="callback"):
        assert selector.set_callbacks(Recording("size 1")).fit(X).stop_reason_ == "callback"
    assert selector.n_features_ == 1
    selector.set_callbacks(ProgressBar()).set_params(method="SFFS").fit(X)
    assert selector.n_features_ == 2


@pytest.mark.parametrize("verbose", [0, 1])
def test_nothing_is_printed(verbose, capfd, caplog):
    """A bar needs a terminal; anything else gets a log, if it listens."""
    with caplog.at_level(logging.DEBUG, logger="sweepless"):
        fitted(verbose=verbose, n_features_to_select=2, method="SFS")
    assert capfd.readouterr() == ("", "")
    assert [record.getMessage()[:10] for record in caplog.records] == ["SFS size  ", "SFS size  "]


# Errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "SFFFS"}, "`method` must be one of"),
        ({"budget": 0}, "`budget` must be a positive integer"),
        ({"proposal": "best"}, "`proposal` must be one of softmax, uniform, top-k"),
        ({"overshoot": -1}, "`overshoot` must be an integer of at least 0"),
        ({"tuple_size": 0}, "`tuple_size` must be an integer of at least 1"),
        ({"estimator": "knn"}, "`estimator` must be a scikit-learn estimator, a Criterion or a function, got 'knn'"),
        ({"estimator": KNeighborsClassifier}, "`estimator` must be a scikit-learn estimator"),
        ({"native": "maybe"}, "`native` "),
        ({"start": "best"}, "`start` must hold"),
        ({"max_size": 0}, "`max_size` must be an integer from 1 to 80"),
        ({"min_size": 5, "max_size": 4}, "`max_size` must be at least the 5 of `min_size`"),
    ],
)
def test_errors_are_one_sentence(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        SequentialSelector(**({"estimator": None} | options)).fit(X, Y)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_rankings_say_which_they_are():
    with pytest.raises(ValueError, match="`method` must be one of BIF, DAF0, DAF1, got 'SFS'"):
        RankingSelector(SUM, method="SFS").fit(X)


@pytest.mark.parametrize("kind", [SequentialSelector, RankingSelector])
def test_constructors_only_keep(kind):
    names = [name for name in inspect.signature(kind.__init__).parameters if name != "self"]
    marks = {name: object() for name in names}
    selector = kind(**marks)
    assert all(getattr(selector, name) is marks[name] for name in names)
    assert set(vars(selector)) == set(names)


@pytest.mark.parametrize("method", ["BIF", "DAF0", "DAF1"])
def test_rankings(method):
    selector = RankingSelector(sw.criteria.KNN(), method=method, n_probes=200, random_state=3, max_size=20).fit(X, Y)
    options = {} if method == "BIF" else {"n_probes": 200}
    result = sw.run(method, sw.criteria.KNN(), sw.Dataset(X, Y), seed=3, max_size=20, **options)
    np.testing.assert_array_equal(selector.order_, result.order)
    assert np.all(np.diff(selector.feature_scores_[selector.order_]) <= 0)
    for size, found in selector.subsets_.items():
        np.testing.assert_array_equal(found.features, np.sort(selector.order_[:size]))
