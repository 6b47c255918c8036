"""`consensus=n`: the rule that was measured, the stability of the searches, and what one search only can have."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from sweepless import SequentialSelector
from sweepless.cli import main
from sweepless.criteria import RidgeCriterion
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError, SaturationWarning
from sweepless.search.events import Anatomy
from sweepless.search.stop import StopReason
from sweepless.stability import stability
from sweepless.validation.resampling import ResampledRun, ResampledRuns, resamples

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X = RNG.normal(size=(40, 25))
X[:, [3, 7]] += 1.5 * Y[:, None]
RIDGE = RidgeCriterion(alpha=160.0)
OPTIONS = {"method": "SFS", "n_features_to_select": 4, "random_state": 0}


def runs_of(*subsets):
    made = [
        ResampledRun({len(one): np.array(one) for one in found}, None, Anatomy(), StopReason.TARGET)
        for found in subsets
    ]
    return ResampledRuns(made, 6)


def test_the_most_frequent_features_of_a_size_win_and_of_equal_ones_the_first():
    runs = runs_of([[5], [2, 5]], [[4], [2, 4]], [[5], [0, 1]])
    assert runs.sizes == [1, 2]
    assert runs.subset(1).tolist() == [5]
    assert runs.subset(2).tolist() == [0, 2]  # 2 twice; 0, 1, 4 and 5 once
    assert runs.frequencies(2).round(2).tolist() == [0.33, 0.33, 0.67, 0.0, 0.33, 0.33]


def test_only_sizes_that_every_search_met_count():
    assert runs_of([[5], [2, 5]], [[4]]).sizes == [1]
    with pytest.raises(DataError, match="size in common"):
        runs_of([[5]], [[2, 4]]).result(None, None, "", 0.0)


def test_resamples_hold_four_fifths_of_every_class_and_more_leave_the_first():
    few, many = (resamples(Dataset(X, Y), 5, n_runs) for n_runs in (2, 4))
    assert [seed for seed, _ in few] == [seed for seed, _ in many[:2]]
    for (_, rows), (_, same) in zip(few, many, strict=False):
        assert rows.tolist() == same.tolist()
        assert np.bincount(Y[rows]).tolist() == [16, 16]


def test_a_selector_selects_what_its_searches_select_most_often():
    selector = SequentialSelector(RIDGE, consensus=5, **OPTIONS).fit(X, Y)
    single = [
        SequentialSelector(RIDGE, **OPTIONS | {"random_state": seed}).fit(X[rows], Y[rows])
        for seed, rows in resamples(Dataset(X, Y), 0, 5)
    ]
    for size in (1, 2, 3, 4):
        counts = np.sum([one.get_support(n_features=size) for one in single], axis=0)
        expected = np.sort(np.argsort(-counts, kind="stable")[:size])
        assert selector.subsets_[size].features.tolist() == expected.tolist()
        assert selector.subsets_[size].value == RIDGE.bind(Dataset(X, Y)).evaluate(expected)
    assert selector.frequencies_.tolist() == (counts / 5).tolist()
    assert selector.stability_ == stability([one.get_support(indices=True) for one in single], 25)
    assert selector.n_evaluations_ == sum(one.n_evaluations_ for one in single)
    assert {3, 7} <= set(selector.get_support(indices=True))
    assert selector.select(2).stability_ == stability([one.subsets_[2].features for one in single], 25)


def test_one_search_has_no_stability():
    selector = SequentialSelector(RIDGE, **OPTIONS).fit(X, Y)
    assert selector.stability_ is None and selector.frequencies_ is None
    assert (
        SequentialSelector(RIDGE, consensus=3, **OPTIONS).fit(X, Y).set_params(consensus=None).fit(X, Y)._agreed is None
    )


def test_sizes_groups_and_audits_work_as_for_one_search():
    selector = SequentialSelector(
        GaussianNB(),
        method="SFS",
        n_features_to_select="audit",
        max_size=5,
        audit=0.3,
        consensus=3,
        fixed_features=[0],
        feature_groups=[[3, 7]],
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X, Y)
    assert all(0 in subset.features for subset in selector.subsets_.values())
    assert all((3 in subset.features) == (7 in subset.features) for subset in selector.subsets_.values())
    assert selector.audit_results_["audited"][selector.audit_results_["n_features"] == selector.best_size_] == max(
        selector.audit_results_["audited"]
    )
    assert np.isnan(selector.frequencies_[0]) and selector.frequencies_[3] == selector.frequencies_[7]


def test_the_searches_share_the_evaluations():
    selector = SequentialSelector(RIDGE, consensus=4, max_evaluations=200, **OPTIONS | {"n_features_to_select": "best"})
    assert selector.fit(X, Y).n_evaluations_ <= 200
    assert selector.stop_reason_ == "evaluations"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"consensus": 1}, "`consensus` must be an integer"),
        (
            {"consensus": 3, "journal": "run.jsonl"},
            "`journal` must be None .* because it would record one search of many",
        ),
        (
            {"consensus": 3, "callbacks": print},
            "`callbacks` must be None .* because it would follow one search of many",
        ),
        ({"consensus": 3, "n_features_to_select": "auto", "tol": 0.1}, "`tol` must be None"),
    ],
)
def test_what_a_consensus_cannot_have_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        SequentialSelector(RIDGE, **OPTIONS | options).fit(X, Y)


def test_a_recorded_search_is_not_resumed_as_many(tmp_path):
    options = OPTIONS | {"journal": str(tmp_path / "run.jsonl")}
    SequentialSelector(RIDGE, **options).fit(X, Y)
    with pytest.raises(InputError, match="`consensus` must be None to resume a search"):
        SequentialSelector(RIDGE, consensus=3, **OPTIONS).resume(tmp_path / "run.jsonl", X, Y)


def test_without_an_estimator_the_criterion_is_chosen_once_for_all_searches():
    selector = SequentialSelector(consensus=2, max_size=3, max_seconds=600.0, random_state=0).fit(X, Y)
    assert {3, 7} & set(selector.get_support(indices=True)) and selector.stability_ is not None
    assert len(selector.subsets_) == 3 and selector.honest_score_ > 0.6


def saturated():
    few = np.repeat(np.arange(2), 8)
    return RNG.normal(size=(16, 60)) + 2.0 * few[:, None], few


@pytest.mark.parametrize("consensus", [None, 3])
def test_many_candidates_of_equal_value_are_told_once(consensus):
    selector = SequentialSelector(
        KNeighborsClassifier(1), method="SFS", n_features_to_select=8, consensus=consensus, random_state=0
    )
    with pytest.warns(SaturationWarning, match="many candidates shared the best value in .* since size") as caught:
        selector.fit(*saturated())
    assert sum(issubclass(warning.category, SaturationWarning) for warning in caught) == 1
    assert caught[-1].filename == __file__


def test_a_smooth_criterion_is_not_saturated():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SaturationWarning)
        SequentialSelector(RIDGE, method="SFS", n_features_to_select=8).fit(*saturated())


def test_the_way_to_break_ties_is_a_word_or_a_criterion():
    with pytest.raises(InputError, match="`tie_break` must be 'smooth', 'first' or a criterion, got 'last'"):
        SequentialSelector(tie_break="last").fit(X, Y)
    few = saturated()
    by_ridge, first = (
        SequentialSelector(KNeighborsClassifier(1), method="SFS", n_features_to_select=3, tie_break=way).fit(*few)
        for way in (RIDGE, "first")
    )
    one, other = by_ridge.subsets_[2], first.subsets_[2]
    assert one.value == other.value
    ridge = RIDGE.bind(Dataset(*few))
    assert ridge.evaluate(one.features) > ridge.evaluate(other.features)


def test_the_command_prints_the_stability(tmp_path, capsys):
    path = tmp_path / "toy.csv"
    np.savetxt(
        path, np.column_stack([X, Y]), delimiter=",", header=",".join([f"f{k}" for k in range(25)] + ["y"]), comments=""
    )
    command = ["select", "--data", str(path), "--label", "y", "--method", "SFS", "--target", "3", "--quiet"]
    assert main([*command, "--consensus", "3", "--json", str(tmp_path / "found.json")]) == 0
    assert "stability " in (shown := capsys.readouterr().out) and "3 searches on resamples" in shown
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["consensus"] == 3 and found["stability"]["nogueira"]["confidence"] == 0.95
    assert main([*command, "--consensus", "3", "--journal", str(tmp_path / "run.jsonl")]) == 2


def test_rows_of_a_group_stay_together_in_every_resample():
    groups = np.repeat(np.arange(10), 4)
    for _, rows in resamples(Dataset(X, Y), 0, 5, groups):
        kept, counts = np.unique(groups[rows], return_counts=True)
        assert len(kept) == 8 and (counts == 4).all()
    drawn = []

    class Spy(GaussianNB):
        def fit(self, X, y):
            drawn.append({tuple(row) for row in X})
            return super().fit(X, y)

    SequentialSelector(Spy(), cv=GroupKFold(4), consensus=2, method="SFS", n_features_to_select=1, random_state=0).fit(
        X[:, :1], Y, groups=groups
    )
    together = [{tuple(row) for row in X[groups == group, :1]} for group in range(10)]
    assert all(members <= rows or not members & rows for rows in drawn for members in together)
