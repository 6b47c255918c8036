"""What is compared is decided, and said, before anything is computed."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from sweepless import Dataset, make_madelon
from sweepless.errors import DataError, InputError
from sweepless.runs import parse_spec
from sweepless.runs.compare.plan import plan
from sweepless.runs.compare.request import Request
from sweepless.runs.spec import common_task


def wide(n_features: int, n_samples: int = 40) -> Dataset:
    rng = np.random.default_rng(0)
    return Dataset(rng.random((n_samples, n_features)), np.arange(n_samples) % 2)


def arms(spec: str) -> dict[str, dict[str, object]]:
    return {arm["name"]: arm for arm in tomllib.loads(spec)["arms"]}


def test_the_plan_is_a_spec_that_campaigns_accept() -> None:
    planned = plan(Request("x.csv", label='a "quoted" column'), wide(60))
    spec = parse_spec(planned.spec)
    assert spec.data.label == 'a "quoted" column'
    assert [arm.name for arm in spec.arms] == ["sSFFS", "SFFS", "FBED", "BIF", "DAF"]
    assert spec.arms[4].matches == "sSFFS"
    assert spec.validation.classifiers == ("same", "svm", "logistic", "forest")
    assert [peer.name for peer in planned.peers][:3] == ["auto", "SelectKBest F", "SelectKBest MI"]
    assert {"mRMR", "L1", "forest", "RFE"} <= {peer.name for peer in planned.peers}
    assert [peer.name for peer in planned.peers][-2:] == ["random subsets", "all features"]


@pytest.mark.parametrize(
    ("source", "key"),
    [("x.csv", "path"), ("v1.2/x.svmlight.gz", "path"), ("madelon", "name"), ("reuters", "name")],
)
def test_files_are_given_by_their_path_and_sets_by_their_name(source: str, key: str) -> None:
    assert tomllib.loads(plan(Request(source), wide(60)).spec)["data"] == {key: source, "scale": "train"}


@pytest.mark.parametrize(("n_features", "sizes"), [(4, [1, 2]), (30, [1, 2, 5, 10]), (500, [5, 10, 20, 50])])
def test_sizes_suit_the_number_of_features(n_features: int, sizes: list[int]) -> None:
    assert tomllib.loads(plan(Request("x.csv"), wide(n_features)).spec)["report"]["sizes"] == sizes


def test_the_sweep_is_left_out_where_it_costs_too_much_and_that_is_said() -> None:
    planned = plan(Request("x.csv"), wide(3000))
    assert "SFFS" not in arms(planned.spec)
    assert planned.notes[0].startswith("SFFS was left out: it takes at least ")
    assert "SFFS" in arms(plan(Request("x.csv", sweep="always"), wide(3000)).spec)
    assert "SFFS" in arms(plan(Request("x.csv"), wide(500)).spec)
    limited = plan(Request("x.csv", max_evaluations=2000), wide(500))
    assert "SFFS" not in arms(limited.spec)
    assert "more than the 2,000 of --max-evaluations" in limited.notes[0]
    assert arms(limited.spec)["sSFFS"]["max_evaluations"] == 2000
    assert "max_evaluations" not in arms(limited.spec)["DAF"]


def test_early_dropping_is_left_out_where_its_first_two_steps_cost_too_much() -> None:
    assert arms(plan(Request("x.csv"), wide(3000)).spec)["FBED"]["n_returns"] == 50
    planned = plan(Request("x.csv"), wide(40_000, 20))
    assert "FBED" not in arms(planned.spec)
    assert planned.notes[1].startswith("FBED was left out: it takes at least 79,999 evaluations a seed, ")
    assert "FBED" in arms(plan(Request("x.csv", sweep="never"), wide(500)).spec)
    limited = plan(Request("x.csv", max_evaluations=900), wide(500))
    assert "FBED was left out: it takes at least 999 evaluations a seed, more than the 900" in limited.notes[1]


def test_a_budget_is_a_quarter_of_few_features_and_a_sweep_is_called_one() -> None:
    assert arms(plan(Request("x.csv"), wide(60)).spec)["sSFFS"]["budget"] == 15
    assert arms(plan(Request("x.csv"), wide(500)).spec)["sSFFS"]["budget"] == 100
    assert "here it is SFFS" in plan(Request("x.csv", budget=100), wide(60)).notes[0]


def numeric(target: np.ndarray) -> Dataset:
    return Dataset(make_madelon(n_samples=len(target), n_features=20, n_redundant=5).X, target)


@pytest.mark.parametrize("target", [np.linspace(0.05, 3.3, 60), np.arange(60) % 40])
def test_numbers_are_compared_by_regression(target: np.ndarray) -> None:
    planned = plan(Request("x.csv"), numeric(target))
    spec = parse_spec(planned.spec)
    assert planned.task == common_task(spec.arms) == "regression"
    assert spec.arms[0].criterion == {"name": "ridge"} and planned.same == "ridge"
    assert spec.validation.classifiers == ("same", "knn-regression", "forest")
    methods = {peer.method for peer in planned.peers}
    assert methods >= {"SelectKBest(f_regression)", "SelectKBest(mutual_info_regression)", "RFE(Ridge)", "LassoCV"}
    assert "ridge regression on standardized" in planned.notes[-1]


def test_the_task_can_be_overruled_and_what_it_cannot_be_is_said() -> None:
    classes = numeric(np.arange(60) % 3)
    assert plan(Request("x.csv"), classes).task == "classification"
    assert plan(Request("x.csv", task="regression"), classes).task == "regression"
    accuracy = parse_spec(plan(Request("x.csv", criterion="ridge"), classes).spec)
    assert (
        accuracy.arms[0].criterion == {"name": "ridge", "score": "accuracy"}
        and common_task(accuracy.arms) == "classification"
    )
    with pytest.raises(DataError, match=r"at least 6 samples .* got 1 of class .*; --task regression takes them"):
        plan(Request("x.csv", task="classification"), numeric(np.arange(60) % 40))
    with pytest.raises(InputError, match="for regression must be one of ridge, knn-regression, information, got 'knn'"):
        plan(Request("x.csv", task="regression", criterion="knn"), classes)
    with pytest.raises(DataError, match="the label must be numbers for regression, got words such as 'a'"):
        plan(Request("x.csv", task="regression"), numeric(np.array(["a", "b"] * 30)))
    with pytest.raises(DataError, match="either side of the split must have at least 10 samples, got 7 of 15"):
        plan(Request("x.csv"), numeric(np.linspace(0, 1, 15)))
    with pytest.raises(InputError, match=r"--criterion must be one of knn, .* to compare by, got cfs"):
        plan(Request("x.csv", criterion="cfs"), classes)


def test_sizes_beyond_the_data_are_refused() -> None:
    with pytest.raises(InputError, match="--sizes must be from 1 to the 30 features of the data, got 31"):
        plan(Request("x.csv", sizes=(5, 31)), wide(30))


@pytest.mark.parametrize(("n_features", "takes_part"), [(3000, True), (4000, False)])
def test_a_quick_look_leaves_out_mutual_information_where_it_is_slow_and_says_so(n_features, takes_part) -> None:
    planned = plan(Request("x.csv", is_quick=True), wide(n_features, 100))
    assert ("SelectKBest MI" in [peer.name for peer in planned.peers]) == takes_part
    said = f"SelectKBest MI was left out: mutual information of {n_features:,} features takes longer"
    assert any(note.startswith(said) for note in planned.notes) != takes_part
    thorough = plan(Request("x.csv"), wide(n_features, 100))
    assert "SelectKBest MI" in [peer.name for peer in thorough.peers]


def test_judges_are_one_of_every_family_or_those_asked_for() -> None:
    def judges(**asked: object) -> tuple[str, ...]:
        return parse_spec(plan(Request("x.csv", **asked), wide(60)).spec).validation.classifiers

    assert judges(criterion="ridge") == ("same", "knn", "svm", "forest")
    assert judges(criterion="gaussian-nb") == ("same", "knn", "svm", "logistic", "forest")
    assert judges(judges=("gaussian-nb", "knn", "gaussian-nb")) == ("same", "gaussian-nb")  # knn is the same
    assert judges(criterion="ridge", judges=("logistic",)) == ("same", "logistic")
    with pytest.raises(InputError, match=r"--judges must be some of knn, svm, .*, forest, got tree"):
        judges(judges=("svm", "tree"))


def test_what_is_not_installed_is_left_out_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sweepless.runs.compare.peers.installed.find_spec", lambda package: None)
    without = plan(Request("x.csv"), wide(60))
    assert not {"Boruta", "abess"} & {peer.name for peer in without.peers}
    assert [note for note in without.notes if "not installed" in note] == [
        "Boruta was left out: boruta is not installed; sweepless[peers] has it.",
        "abess was left out: abess is not installed; sweepless[peers] has it.",
    ]
    monkeypatch.setattr("sweepless.runs.compare.peers.installed.find_spec", lambda package: package)
    assert {"Boruta", "abess"} <= {peer.name for peer in plan(Request("x.csv"), wide(60)).peers}
    quick = plan(Request("x.csv", is_quick=True), wide(60))
    assert {"Boruta", "abess"} & {peer.name for peer in quick.peers} == {"abess"}
    assert any(note.startswith("Boruta was left out of a quick look") for note in quick.notes)


def test_auto_is_left_out_where_no_class_fills_its_folds() -> None:
    few = Dataset(np.random.default_rng(0).random((54, 20)), np.arange(54) % 6)
    planned = plan(Request("x.csv", task="classification"), few)
    assert "auto" not in [peer.name for peer in planned.peers]
    assert "auto was left out: it needs a class with at least 5 samples to search on." in planned.notes
