"""`sweepless select` with few options: the defaults of Python's selector, said in the output."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier

from sweepless import SearchSettings, SequentialSelector, load
from sweepless.cli.main import build_parser, main
from sweepless.criteria import KNN, RidgeCriterion

KNN_OF = ("--criterion", "knn", "--data")


def write(path: Path, X: np.ndarray, y: list[object]) -> Path:
    rows = [",".join([*(f"f{k}" for k in range(X.shape[1])), "answer"])]
    rows += [",".join([*map(repr, row.tolist()), str(label)]) for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 150)).round(3)
    return write(tmp_path_factory.mktemp("wide") / "wide.csv", X, ["a" if x > 0 else "b" for x in X[:, 3]])


@pytest.fixture(scope="module")
def diabetes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    X, y = load_diabetes(return_X_y=True)
    return write(tmp_path_factory.mktemp("numbers") / "diabetes.csv", X, y.astype(int).tolist())


def found(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, object]:
    assert main(["select", *map(str, words), "--json", "-"]) == 0
    result: dict[str, object] = json.loads(capsys.readouterr().out)
    return result


def test_a_search_stops_at_a_hundred_features_after_the_selector_s_warm_up(
    wide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = found(capsys, *KNN_OF, wide, "--label", "answer", "--budget", "paper", "--prior", "none")
    assert max(record["size"] for record in result["archive"]) == result["settings"]["max_size"] == 100
    assert result["stop_reason"] == "frontier"
    data = load(wide)
    selector = SequentialSelector(KNeighborsClassifier(1), budget="paper", prior=None, random_state=1)
    selector.fit(data.X, data.y)
    assert max(selector.subsets_) >= 100 and result["warm_up_evaluations"] == selector.anatomy_.warm_up == 75
    assert result["settings"]["warm_up"] | {"n_probes": 75, "probe_size": 10} == result["settings"]["warm_up"]
    assert "folds=5" in result["criterion"]
    assert 0 < result["n_tried"] <= 150
    assert (result["task"], result["n_classes"], result["scale"]) == ("classification", 2, "train")


def test_the_text_says_what_was_used_understood_and_covered(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["select", *KNN_OF, str(wide), "--label", "answer", "--max-evaluations", "1000"]
    assert main(few) == 0
    out, used = capsys.readouterr().out, "budget auto: 100 of 150 features per addition, 50 per removal"
    assert "target    2 classes\n" in out
    assert f"{used}; prior by R² of single features; at most 100 features" in out
    assert main([*few, "--prior", "none"]) == 0
    out = capsys.readouterr().out
    assert f"{used}; warm-up 75 probes of 10 features (automatic), a look at every feature; at most 100 features" in out
    assert "coverage  150 of 150 features were tried at least once" in out
    assert "f3 (3)" in out
    assert main(["select", *KNN_OF, str(wide), "--max-evaluations", "40", "--target", "2", "--prior", "none"]) == 0
    assert "warm-up 20 probes of 10 features (automatic, cut from 75)" in capsys.readouterr().out


def test_a_budget_is_a_full_sweep_where_candidates_are_cheap(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["select", *KNN_OF, str(wide), "--max-size", "3"]
    assert main(words) == main([*words, "--budget", "auto", "--backward-budget", "auto"]) == 0
    said = "budget auto: 150 of 150 features per addition, all per removal; no warm-up"
    assert capsys.readouterr().out.count(said) == 2
    assert main([*words, "--rng", "reference"]) == main([*words, "--budget", "paper"]) == 0
    assert capsys.readouterr().out.count("budget paper: 100 of 150 features per addition, 50 per removal") == 2
    assert main([*words, "--budget", "7", "--backward-budget", "full"]) == 0
    assert "budget: 7 of 150 features per addition, all per removal" in capsys.readouterr().out


def test_a_resumed_run_keeps_the_warm_up_that_its_first_limit_gave_it(
    wide: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "run.jsonl"
    words = (*KNN_OF, wide, "--target", 3, "--max-evaluations", 60, "--max-seconds", 1000, "--journal", journal)
    words = (*words, "--prior", "none")
    assert found(capsys, *words)["n_evaluations"] == 60
    assert main(["resume", str(journal), "--max-evaluations", "2000", "--max-seconds", "2000", "--json", "-"]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert resumed["stop_reason"] == "target" and resumed["warm_up_evaluations"] == 30
    endless = tmp_path / "endless.jsonl"
    assert found(capsys, *KNN_OF, wide, "--max-evaluations", 60, "--journal", endless)["settings"]["max_size"] == 100
    assert main(["resume", str(endless), "--max-size", "2", "--max-evaluations", "2000", "--json", "-"]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert resumed["settings"]["max_size"] == resumed["archive"][-1]["size"] == 2


def test_no_warm_up_and_other_sizes_can_be_asked_for(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = found(capsys, *KNN_OF, wide, "--warm-up", "none", "--max-size", 4, "--method", "sSFS")
    assert result["warm_up_evaluations"] == 0 and result["settings"]["warm_up"] is None
    assert max(record["size"] for record in result["archive"]) == result["settings"]["max_size"] == 4
    backward = found(capsys, *KNN_OF, wide, "--method", "sSBS", "--max-evaluations", 50)
    assert backward["settings"]["max_size"] is None


def test_ridge_predicts_numbers_as_in_python(diabetes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = found(capsys, "--data", diabetes, "--criterion", "ridge", "--method", "SFS")
    data = load(diabetes)
    selector = SequentialSelector(Ridge(), method="SFS").fit(data.X, data.y)
    assert result["task"] == "regression" and result["n_classes"] is None
    assert result["features"] == selector.get_support(indices=True).tolist()
    assert result["value"] == pytest.approx(
        selector.best_score_, abs=0.01
    )  # folds of 88 and 89 samples, shared otherwise
    assert main(["select", "--data", str(diabetes), "--criterion", "ridge", "--method", "SFS", "--target", "2"]) == 0
    assert "target    442 numbers, predicted by regression" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "task", "criterion"),
    [
        (["--criterion", "ridge"], "regression", "RidgeCriterion(alpha=1.0, folds=5, score='r2', "),
        (["--criterion", "ridge", "--score", "mse", "--alpha", "9"], "regression", "alpha=9.0, folds=5, score='mse'"),
        (["--criterion", "knn-regression"], "regression", "KNNRegression(n_neighbors=5, folds=5"),
        (["--criterion", "knn-regression", "--n-neighbors", "3"], "regression", "KNNRegression(n_neighbors=3"),
        (["--criterion", "knn"], "classification", "KNN(n_neighbors=1"),
        (["--task", "classification", "--criterion", "ridge"], "classification", "score='accuracy'"),
        (["--criterion", "ridge", "--split", "60/40"], "regression", "RidgeCriterion("),
    ],
)
def test_the_task_follows_what_was_said(
    diabetes: Path, capsys: pytest.CaptureFixture[str], words: list[str], task: str, criterion: str
) -> None:
    result = found(capsys, "--data", diabetes, "--method", "SFS", "--target", 1, *words)
    assert result["task"] == task
    assert criterion in str(result["criterion"])


def test_a_split_of_numbers_has_no_strata(diabetes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = found(
        capsys, "--data", diabetes, "--criterion", "ridge", "--method", "SFS", "--target", 5, "--split", "50/50"
    )
    assert 0.2 < result["holdout"] < 0.6
    assert (
        main(
            [
                "select",
                "--data",
                str(diabetes),
                "--criterion",
                "ridge",
                "--method",
                "SFS",
                "--target",
                "5",
                "--split",
                "50/50",
            ]
        )
        == 0
    )
    assert "221 samples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--task", "regression", "--criterion", "svm"],
            "must be one of ridge, knn-regression, information, got 'svm'",
        ),
        (["--task", "regression"], "one number per sample"),
        (
            ["--criterion", "svm", "--n-neighbors", "3"],
            "--n-neighbors must go with a criterion that has it",
        ),
        (["--score", "auc", "--criterion", "ridge"], "`score` must be one of r2, mse, accuracy, class_r2, got 'auc'"),
        (["--class-weight", "balanced", "--criterion", "ridge"], "`class_weight` must be None for all scores but"),
        (["--drop", "f99999"], "`drop` must name columns"),
    ],
)
def test_what_does_not_fit_is_refused(
    wide: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["select", "--data", str(wide), "--target", "1", *words]) == 2
    assert said in capsys.readouterr().err


def test_columns_are_dropped_by_name_or_number(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = found(capsys, *KNN_OF, wide, "--drop", "f3", "--drop", 0, "--method", "SFS", "--target", 2)
    assert result["n_features"] == 148 and "f3" not in result["feature_names"]


def test_options_are_spelled_like_keywords_and_leave_the_defaults_to_them(capsys: pytest.CaptureFixture[str]) -> None:
    settings = {field.name for field in fields(SearchSettings)}
    criteria = {field.name for kind in (KNN, RidgeCriterion) for field in fields(kind)}
    with pytest.raises(SystemExit):
        main(["select", "--help"])
    groups = dict(re.findall(r"^(\w[^\n]*):\n(.*?)\n(?=\S|\n)", capsys.readouterr().out, re.DOTALL | re.MULTILINE))
    for group, keywords in {
        "criterion": criteria | {"criterion", "judge", "tie_break"},
        "search": settings | {"option"},
        "sampled steps": settings,
        "limits (any of them, Ctrl-C and SIGTERM leave a valid result)": settings,
    }.items():
        options = {name.replace("-", "_") for name in re.findall(r"^  --([a-z-]+)", groups[group], re.MULTILINE)}
        assert len(options) > 3 and options <= keywords
    assert not settings & set(vars(build_parser().parse_args(["select", "--data", "x.csv"]))) - {"ties"}


def test_the_score_of_classes_makes_them_classes(diabetes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--criterion", "ridge", "--score", "class_r2", "--class-weight", "balanced", "--folds", 2]
    result = found(capsys, "--data", diabetes, "--method", "SFS", "--target", 1, *words)
    assert result["task"] == "classification"
    assert "score='class_r2', class_weight='balanced'" in str(result["criterion"])
