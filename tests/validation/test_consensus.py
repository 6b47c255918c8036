"""Repeated selections: seeds, rows, frequencies, groups, the consensus subset."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

from sweepless import SequentialSelector, permutation_reference
from sweepless.engine.portable import PortableRng
from sweepless.errors import InputError
from sweepless.validation.consensus import agreement, consensus
from sweepless.validation.repeats import Repetition, draw_rows, run_seeds, shuffled_rows
from tests.validation.toy_selector import ToySelector


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 12))
    X[:, 4] += 2 * y
    X[:, 7] += y
    X[:, 8] = X[:, 7] + rng.normal(scale=0.1, size=120)  # a twin
    return X, y


def made_run(features, scores=None, value=0.0):
    features = np.array(features)
    return Repetition(0, features, value, {len(features): features}, {len(features): value}, scores)


def same(one, two):
    return (
        np.array_equal(one.frequencies, two.frequencies)
        and np.array_equal(one.order, two.order)
        and [run.seed for run in one.runs] == [run.seed for run in two.runs]
        and one.stability == two.stability
    )


def test_frequencies_count_the_runs(data):
    found = consensus(ToySelector(noise=0.9), *data, n_runs=8, random_state=1)
    counted = np.mean([np.isin(np.arange(12), run.features) for run in found.runs], axis=0)
    assert np.array_equal(found.frequencies, counted)
    assert found.frequencies[4] == found.frequencies.max()
    assert found.size == 3
    assert found.support().sum() == 3
    assert 0.0 < found.stability.ati < 1.0


def test_results_do_not_depend_on_jobs_and_runs_are_paired(data):
    toy = ToySelector(noise=0.9)
    found = consensus(toy, *data, n_runs=6, random_state=5)
    assert same(found, consensus(toy, *data, n_runs=6, random_state=5, n_jobs=2))
    more = consensus(toy, *data, n_runs=9, random_state=5)
    for run, again in zip(found.runs, more.runs, strict=False):
        assert run.seed == again.seed
        assert np.array_equal(run.features, again.features)
    assert not same(found, consensus(toy, *data, n_runs=6, random_state=6))
    assert not hasattr(toy, "subsets_")


def test_without_resampling_and_noise_all_runs_are_equal(data):
    found = consensus(ToySelector(), *data, n_runs=3, resample=None, random_state=0)
    assert found.stability.nogueira.value == 1.0
    assert found.interchangeable == ()
    assert found.group_stability.ati == 1.0


def test_another_size_of_the_same_runs(data):
    found = consensus(ToySelector(noise=0.9), *data, n_runs=5, random_state=0)
    smaller = agreement(found.runs, data[0], n_features=2)
    assert smaller.size == 2
    assert same(smaller, consensus(ToySelector(noise=0.9), *data, n_runs=5, n_features=2, random_state=0))
    with pytest.raises(InputError, match="`n_features` must be a size that every run recorded a subset of, got 9"):
        agreement(found.runs, data[0], n_features=9)


def test_twins_that_never_meet_are_one_group(data):
    runs = [made_run([4, 7, 0]), made_run([4, 8, 1]), made_run([4, 7, 2]), made_run([4, 8, 0])]
    found = agreement(runs, data[0])
    assert [group.tolist() for group in found.interchangeable] == [[7, 8]]
    assert found.order[:2].tolist() == [4, 7]  # both in every run: single feature and group
    assert set(found.order.tolist()) == {0, 1, 2, 4, 7, 8}
    assert found.order[-1] == 8  # the twin comes after everything else
    assert found.group_stability.ati > found.stability.ati
    assert found.features.tolist() == [0, 4, 7]


def test_a_group_of_two_halves_beats_a_feature_of_more_than_half(data):
    runs = [made_run([7, 0]), made_run([8, 0]), made_run([7, 0]), made_run([8, 1])]
    found = agreement(runs, data[0])
    assert found.frequencies[0] > found.frequencies[7]
    assert found.order[0] == 7
    assert found.order.tolist()[1:3] == [0, 1]


def test_twins_that_meet_are_no_group(data):
    runs = [made_run([4, 7, 8]), made_run([4, 7, 8]), made_run([4, 0, 1])]
    assert agreement(runs, data[0]).interchangeable == ()
    often = [made_run([7, 8])] * 16 + [made_run([7, 0])] * 3 + [made_run([8, 0])]
    assert agreement(often, data[0]).interchangeable == ()  # 16 is less than 19 * 17 / 20, but not rare


def test_correlation_decides_with_the_frequencies(data):
    X = data[0]
    runs = [made_run([4, 7]), made_run([4, 8])]
    correlation = abs(np.corrcoef(X[:, 7], X[:, 8])[0, 1])
    assert agreement(runs, X, min_correlation=correlation - 1e-6).interchangeable
    assert not agreement(runs, X, min_correlation=correlation + 1e-6).interchangeable
    for same_columns in (sparse.coo_array(X), pd.DataFrame(X)):
        assert agreement(runs, same_columns, min_correlation=correlation - 1e-6).interchangeable


def test_a_group_is_a_clique():
    rng = np.random.default_rng(1)
    shared, other = rng.normal(size=(2, 400))
    X = np.stack([shared, (shared + other) / 2**0.5, other], axis=1)  # ends of a chain do not correlate
    runs = [made_run([0]), made_run([1]), made_run([2]), made_run([1])]
    groups = agreement(runs, X, min_correlation=0.6).interchangeable
    assert [group.tolist() for group in groups] == [[0, 1]]


def test_constant_columns_are_no_twins():
    X = np.full((50, 3), 0.1)
    assert agreement([made_run([0]), made_run([1])], X).interchangeable == ()


def test_ties_go_to_the_score_then_to_the_value_then_to_the_index(data):
    X = data[0]
    scores = np.zeros(12)
    scores[[3, 5]] = 1.0, 2.0
    scored = [made_run([3], scores), made_run([5], scores), made_run([1], scores)]
    assert agreement(scored, X).order.tolist() == [5, 3, 1]
    valued = [made_run([3], value=0.1), made_run([5], value=0.9), made_run([1], value=0.1)]
    assert agreement(valued, X).order.tolist() == [5, 1, 3]


def test_names_come_from_the_frame(data):
    X = pd.DataFrame(data[0], columns=[f"gene {k}" for k in range(12)])
    found = consensus(ToySelector(), X, data[1], n_runs=2, random_state=0)
    assert "gene 4" in found.names(found.features)


def test_any_selector_of_scikit_learn_and_fit_params(data):
    found = consensus(SelectKBest(k=4), *data, n_runs=4, random_state=0)
    assert found.size == 4
    consensus(ToySelector(), *data, n_runs=2, sample_weight=np.ones(120))
    with pytest.raises(InputError, match="`k` must be an integer from 1 to"):
        found.support(13)


def test_a_repeated_run_leaves_the_journal_alone(data):
    consensus(ToySelector(journal="somewhere"), *data, n_runs=2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_runs": 1}, "`n_runs` must be an integer of at least 2, got 1"),
        ({"resample": 1.5}, "`resample` must be a share above 0 and up to 1, or None, got 1.5"),
        ({"min_correlation": 0}, "`min_correlation` must be above 0 and up to 1, got 0"),
    ],
)
def test_wrong_arguments_are_named(data, wrong, message):
    with pytest.raises(InputError, match=message):
        consensus(ToySelector(), *data, **wrong)


def test_rows_keep_the_proportions_of_the_classes():
    y = np.repeat(["a", "b"], [90, 10])
    rows = draw_rows(100, y, 0.8, PortableRng(3))
    assert np.unique(y[rows], return_counts=True)[1].tolist() == [72, 8]
    assert len(set(rows.tolist())) == 80
    real = draw_rows(100, np.linspace(0, 1, 100), 0.8, PortableRng(3))
    assert len(real) == 80
    assert len(draw_rows(7, np.array([0, 0, 0, 1, 1, 1, 1]), 0.8, PortableRng(0))) == 6
    assert np.array_equal(draw_rows(100, np.stack([y, y], axis=1), 0.8, PortableRng(3)), rows)


def test_seeds_are_prefixes_and_differ():
    assert run_seeds(7, 5) == run_seeds(7, 9)[:5]
    assert len(set(run_seeds(7, 50))) == 50
    assert run_seeds(8, 5) != run_seeds(7, 5)
    assert run_seeds(None, 3) != run_seeds(None, 3)


def test_shuffles_stay_within_groups():
    groups = np.array(["b", "a", "b", "a", "b", "c"])
    order = shuffled_rows(6, groups, PortableRng(2))
    assert sorted(order.tolist()) == list(range(6))
    assert np.array_equal(groups[order], groups)
    assert order[5] == 5
    free = shuffled_rows(40, None, PortableRng(2))
    assert sorted(free.tolist()) == list(range(40))
    assert not np.array_equal(free, np.arange(40))


def pipelines(selector):
    return {
        "last": make_pipeline(StandardScaler(), selector),
        "inside": make_pipeline(StandardScaler(), selector, LogisticRegression()),
        "first": make_pipeline(selector, LogisticRegression()),
    }


@pytest.mark.parametrize("place", ["last", "inside", "first"])
def test_the_selector_of_a_pipeline(place):
    selector = SequentialSelector(GaussianNB(), method="SFS", n_features_to_select=2, verbose=1, cv=2)
    X, y = load_wine(return_X_y=True)
    X = X[:, :5]
    alone = consensus(selector, StandardScaler().fit_transform(X) if place != "first" else X, y, 2, random_state=0)
    inside = consensus(pipelines(selector)[place], X, y, 2, random_state=0)
    assert [run.seed for run in inside.runs] == [run.seed for run in alone.runs]
    assert inside.features.tolist() == alone.features.tolist() and inside.n_features_in == 5
    noise = permutation_reference(pipelines(selector)[place], X, y, n_shuffles=1, random_state=0)
    assert noise.sizes.tolist() == [1, 2] and noise.observed[1] > noise.shuffled[0, 1]


def test_columns_are_those_that_the_selector_of_a_pipeline_sees():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.iloc[:, :2]
    selector = SequentialSelector(GaussianNB(), method="SFS", n_features_to_select=2, cv=2)
    found = consensus(make_pipeline(PolynomialFeatures(2, include_bias=False), selector), X, y, 2, random_state=0)
    assert found.n_features_in == 5 and len(found.frequencies) == 5
    assert found.feature_names == ("alcohol", "malic_acid", "alcohol^2", "alcohol malic_acid", "malic_acid^2")


def test_runs_that_see_other_columns_are_not_compared():
    X = np.column_stack([np.arange(40), np.arange(40) % 3])
    encoded = make_pipeline(OneHotEncoder(sparse_output=False), ToySelector(1))
    with pytest.raises(ValueError, match="every run must see the same columns"):
        consensus(encoded, X, np.arange(40) % 2, 2, random_state=0)


@pytest.mark.parametrize("given", [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression()), 3])
def test_where_there_is_no_selector(given):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    for repeated in (consensus, permutation_reference):
        with pytest.raises(ValueError, match=r"^`selector` must be a feature selector, or a Pipeline with one among"):
            repeated(given, X, y, 2)


def test_parameters_of_fit_reach_the_selector_of_a_pipeline():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    groups = np.arange(20) % 4
    pipeline = make_pipeline(StandardScaler(), SequentialSelector(GaussianNB(), method="SFS", cv=GroupKFold(2)))
    assert len(consensus(pipeline, X, y, 2, random_state=0, groups=groups).runs) == 2
