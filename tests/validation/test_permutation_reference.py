"""The reference of shuffled labels."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.feature_selection import SelectKBest

from sweepless.errors import InputError
from sweepless.validation.permutation import PermutationReference, permutation_reference
from tests.validation.toy_selector import ToySelector


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 15))
    X[:, 2] += 2 * y
    return X, y


def test_a_real_effect_beats_every_shuffle(data):
    found = permutation_reference(ToySelector(n_features=2), *data, n_shuffles=19, random_state=0)
    assert found.sizes.tolist() == [1, 2, 3, 4]
    assert found.shuffled.shape == (19, 4)
    assert found.p_value == 1 / 20
    assert found.p_values[0] == 1 / 20
    assert found.observed[0] > found.shuffled[:, 0].max()
    assert np.allclose(found.mean, found.shuffled.mean(axis=0))
    assert np.allclose(found.quantile(0.5), np.median(found.shuffled, axis=0))


def test_noise_is_as_good_as_noise():
    rng = np.random.default_rng(3)
    p_values = [
        permutation_reference(
            ToySelector(), rng.normal(size=(40, 8)), rng.permutation(np.arange(40) % 2), n_shuffles=9, random_state=seed
        ).p_value
        for seed in range(60)
    ]
    assert 0.4 < np.mean(p_values) < 0.7  # uniform on 0.1, 0.2 ... 1
    assert np.mean(np.array(p_values) <= 0.2) < 0.4


def test_results_do_not_depend_on_jobs_and_shuffles_are_prefixes(data):
    toy = ToySelector(noise=0.3)
    found = permutation_reference(toy, *data, n_shuffles=4, random_state=1)
    with parallel_config(backend="threading"):
        parallel = permutation_reference(toy, *data, n_shuffles=4, random_state=1, n_jobs=2)
    assert np.array_equal(found.shuffled, parallel.shuffled)
    assert np.array_equal(found.observed, parallel.observed)
    more = permutation_reference(toy, *data, n_shuffles=6, random_state=1)
    assert np.array_equal(found.shuffled, more.shuffled[:4])


def test_the_observed_search_is_the_selector_itself(data):
    toy = ToySelector(noise=0.3, random_state=11)
    found = permutation_reference(toy, *data, n_shuffles=1, random_state=1)
    assert found.observed.tolist() == [kept.value for kept in toy.fit(*data).subsets_.values()]


def test_equal_values_count_and_missing_sizes_do_not():
    found = PermutationReference(
        sizes=np.array([1, 2]),
        observed=np.array([0.5, 0.7]),
        shuffled=np.array([[0.5, 0.6], [0.4, np.nan], [0.3, 0.8]]),
        best_observed=0.7,
        best_shuffled=np.array([0.6, 0.4, 0.8]),
    )
    assert found.p_values.tolist() == [2 / 4, 2 / 3]
    assert found.p_value == 2 / 4
    assert found.mean == pytest.approx([0.4, 0.7])


def test_what_cannot_be_shuffled_is_refused(data):
    with pytest.raises(InputError, match="`y` must be given"):
        permutation_reference(ToySelector(), data[0], None)
    with pytest.raises(InputError, match="`n_shuffles` must be an integer of at least 1, got 0"):
        permutation_reference(ToySelector(), *data, n_shuffles=0)
    with pytest.raises(InputError, match="must record `subsets_`"):
        permutation_reference(SelectKBest(k=2), *data, n_shuffles=1)
