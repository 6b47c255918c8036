"""Displays, consensus and permutation reference of a real selector, fitted once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from sweepless import SequentialSelector, consensus, permutation_reference  # noqa: E402
from sweepless.errors import InputError  # noqa: E402
from sweepless.reports import (  # noqa: E402
    AnatomyDisplay,
    FeatureScoreDisplay,
    StabilityDisplay,
    SubsetCurveDisplay,
    TrajectoryDisplay,
)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), y


def selector(**changed):
    given = {"max_size": 8, "budget": 10, "backward_budget": 5, "cv": 3, "random_state": 0} | changed
    return SequentialSelector(KNeighborsClassifier(1), **given)


def sweep(method, **given):
    return SequentialSelector(KNeighborsClassifier(1), method=method, cv=3, **given)


@pytest.fixture(scope="module")
def fitted(data):
    return selector(audit=0.3, scoring="accuracy").fit(*data)


def said(display):
    return " ".join(text.get_text() for text in display.figure_.findobj(matplotlib.text.Text))


def test_the_curve_shows_what_the_selector_recorded(fitted, data):
    full = sweep("SFS", n_features_to_select=4).fit(*data)
    noise = permutation_reference(selector(), *data, n_shuffles=2, random_state=0)
    display = SubsetCurveDisplay.from_selector(fitted, reference=full, reference_name="SFS", permutation=noise)
    table = fitted.cv_results_
    assert np.array_equal(display.values, table["mean_test_score"])
    folds = np.stack([table[f"split{k}_test_score"] for k in range(3)])
    assert np.allclose(display.errors, folds.std(axis=0, ddof=1) / 3**0.5)
    assert np.array_equal(display.audited, table["audit_score"])
    assert list(display.reference.values()) == full.cv_results_["mean_test_score"].tolist()
    text = said(display)
    for expected in ("Best accuracy", f"{fitted.best_size_} features chosen", "audited", "SFS", "shuffled labels"):
        assert expected in text


def test_the_trajectory_ends_where_the_search_ended(fitted):
    display = TrajectoryDisplay.from_selector(fitted)
    assert display.sizes.tolist() == [step.size for step in fitted.trace_]
    assert display.n_before == fitted.anatomy_.warm_up
    assert display.start == 0
    assert display.sizes[display.best] == fitted.best_size_
    segments = sum(len(lines.get_segments()) for lines in display.ax_.collections)
    assert segments == len(fitted.trace_)


def test_scores_have_the_names_of_the_frame(fitted):
    display = FeatureScoreDisplay.from_selector(fitted, n_top=8)
    best = fitted.feature_names_in_[np.argmax(fitted.feature_scores_)]
    assert display.ax_.get_yticklabels()[0].get_text() == best
    shown = {tick.get_text() for tick in display.ax_.get_yticklabels()}
    assert len(shown) >= 8 and set(fitted.get_feature_names_out()) <= shown


def test_anatomy_adds_up(fitted):
    bars = AnatomyDisplay.from_selector(fitted).bars
    assert sum(bars["evaluations"].values()) == fitted.n_evaluations_
    assert sum(bars["steps won by"].values()) == len(fitted.trace_)
    assert sum(bars["features"].values()) == fitted.n_features_in_


def test_what_was_not_learned_is_named(data):
    with pytest.raises(InputError, match="`selector` must be fitted and have learned `subsets_`"):
        SubsetCurveDisplay.from_selector(selector())
    full = sweep("SFS", n_features_to_select=2).fit(*data)
    with pytest.raises(InputError, match="`selector` must be fitted and have learned `feature_scores_`"):
        FeatureScoreDisplay.from_selector(full)
    AnatomyDisplay.from_selector(full)
    TrajectoryDisplay.from_selector(full)


def test_a_backward_search_starts_with_everything(data):
    X = data[0].iloc[:, :6]
    display = TrajectoryDisplay.from_selector(sweep("SBS").fit(X, data[1]))
    assert display.start == 6


def test_the_consensus_of_a_selector_is_independent_of_jobs(data):
    X, y = data
    twins = pd.concat([X, X[["worst area"]].rename(columns={"worst area": "twin"})], axis=1)
    found = consensus(selector(), twins, y, n_runs=4, n_features=4, random_state=3)
    with parallel_config(backend="threading"):
        again = consensus(selector(), twins, y, n_runs=4, n_features=4, random_state=3, n_jobs=2)
    assert np.array_equal(found.frequencies, again.frequencies)
    assert np.array_equal(found.order, again.order)
    assert found.stability == again.stability
    assert all(len(subset) == 4 for subset in found.subsets)
    assert np.allclose(found.frequencies.sum(), 4)
    display = StabilityDisplay.from_consensus(found, n_top=3)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == found.names(found.order[:3])


def test_the_observed_values_are_those_of_the_fitted_selector(data):
    found = permutation_reference(selector(max_size=4), *data, n_shuffles=3, random_state=0)
    with parallel_config(backend="threading"):
        again = permutation_reference(selector(max_size=4), *data, n_shuffles=3, random_state=0, n_jobs=2)
    assert np.array_equal(found.shuffled, again.shuffled)
    kept = selector(max_size=4).fit(*data).subsets_
    assert dict(zip(found.sizes.tolist(), found.observed.tolist(), strict=True)) == {
        size: subset.value for size, subset in kept.items()
    }
    assert found.p_value == 1 / 4  # labels that can be told from noise
    assert found.observed.min() > found.shuffled.max()
