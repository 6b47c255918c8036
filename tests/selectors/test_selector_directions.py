"""What people bring from scikit-learn: `direction`, "auto" with `tol`, `n_features_to_select_`."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from sweepless import METHODS, RankingSelector, SequentialSelector
from sweepless.criteria import FunctionCriterion

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::4, :9], Y[::4]
DATA = np.zeros((20, 12)) + np.arange(12.0)
DATA[0] = 1.0


def diminishing(members):
    """One feature after the other is worth it, each half as much; feature 0 most."""
    return float(sum(2.0**-feature for feature in members))


TOLERATED = {"forward": (0.0, 1e-3, 0.02, None), "backward": (-0.005, 1e-3, None)}


@pytest.mark.parametrize("direction, tol", [(way, tol) for way, tols in TOLERATED.items() for tol in tols])
@pytest.mark.parametrize("estimator", [GaussianNB(), Ridge()], ids=lambda estimator: type(estimator).__name__)
def test_auto_selects_what_scikit_learn_selects(estimator, direction, tol):
    theirs = SequentialFeatureSelector(estimator, tol=tol, direction=direction, cv=3).fit(X, Y)
    ours = SequentialSelector(
        estimator, method="SFS", n_features_to_select="auto", tol=tol, direction=direction, cv=3, tie_break="first"
    ).fit(X, Y)
    assert ours.get_support().tolist() == theirs.get_support().tolist()
    assert ours.n_features_to_select_ == theirs.n_features_to_select_ == ours.n_features_


@pytest.mark.parametrize("method", ["SFS", "SFFS", "sSFS", "sSFFS", "SFRS"])
def test_auto_of_other_methods(method):
    options = {"n_features_to_select": "auto", "tol": 0.1}
    selector = SequentialSelector(FunctionCriterion(diminishing), method=method, **options).fit(DATA)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 3]  # the next would bring a sixteenth
    assert selector.stop_reason_ == "patience" and max(selector.subsets_) == 5
    bounded = SequentialSelector(FunctionCriterion(diminishing), method=method, min_size=6, **options).fit(DATA)
    assert bounded.n_features_ == 6
    bounded = SequentialSelector(FunctionCriterion(diminishing), method=method, max_size=3, **options).fit(DATA)
    assert bounded.n_features_ == 3


def test_auto_of_groups_and_rankings():
    options = {"n_features_to_select": "auto", "tol": 0.1}
    groups = SequentialSelector(diminishing, method="SFS", fixed_features=[0], feature_groups=[[1, 2]], **options)
    assert groups.fit(DATA).get_support(indices=True).tolist() == [0, 1, 2, 3] and groups.best_size_ == 3
    assert RankingSelector(diminishing, **options).fit(DATA).n_features_ == 4
    assert RankingSelector(diminishing, n_features_to_select="auto").fit(DATA).n_features_ == 6


@pytest.mark.parametrize(
    "method, twin", [("SFS", "SBS"), ("sSFFS", "sSBFS"), ("SFRS", "SBRS"), ("sASFFS", "sASBFS"), ("SBS", "SBS")]
)
def test_backward_is_the_twin(method, twin):
    options = {"n_features_to_select": 3, "random_state": 0}
    selector = SequentialSelector(diminishing, method=method, direction="backward", **options).fit(DATA)
    expected = SequentialSelector(diminishing, method=twin, **options).fit(DATA)
    assert [step.features.tolist() for step in selector.trace_] == [s.features.tolist() for s in expected.trace_]
    given = SequentialSelector(diminishing, method=METHODS[method], direction="backward", **options).fit(DATA)
    assert given.get_support().tolist() == expected.get_support().tolist()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"direction": "up"}, "^`direction` must be one of forward, backward, got 'up'"),
        ({"method": "SBS", "direction": "forward"}, "^`direction` must be 'backward' or None for SBS, got 'forward'"),
        ({"method": "OS", "direction": "backward"}, "^`direction` must be 'forward' or None for OS, which has no twin"),
        ({"method": "LFS", "direction": "backward"}, "for LFS, which has no twin, got 'backward'"),
        (
            {"n_features_to_select": "auto", "tol": -0.1},
            "^`tol` must be a number of at least 0 for a search that grows",
        ),
        ({"n_features_to_select": "auto", "tol": 0.1, "method": "DOS"}, "a search that goes one way, got DOS"),
        ({"n_features_to_select": "best", "tol": -0.1}, "^`tol` must be a number of at least 0 or None"),
    ],
)
def test_what_does_not_go_together(options, message):
    with pytest.raises(ValueError, match=message):
        SequentialSelector(diminishing, **options).fit(DATA)


def test_the_number_is_not_there_before_fit():
    assert not hasattr(SequentialSelector(), "n_features_to_select_")
