"""Campaigns whose criteria predict numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sweepless.cli import main
from sweepless.errors import SpecError
from sweepless.runs import parse_spec
from sweepless.runs.spec import common_task
from tests.runs.quick_campaign import rows_of

SPEC = """
name = "numbers"
seeds = [1]
[data]
path = "table.csv"
label = "y"
drop = ["id"]
[split]
train = 50
test = 50
[criterion]
name = "ridge"
[stop]
target = 2
[validation]
classifiers = ["same", "knn-regression"]
[[arms]]
name = "SFS"
method = "SFS"
"""


@pytest.mark.parametrize("kind", [int, float])
def test_ridge_runs_on_a_split_of_numbers(tmp_path, capsys, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = [kind(100 * (row[1] + row[2])) for row in X]
    lines = ["id,a,b,c,d,y", *(f"P{k}," + ",".join(map(str, [*row, y[k]])) for k, row in enumerate(X))]
    (tmp_path / "table.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    assert main(["run", str(tmp_path / "spec.toml"), "-o", str(tmp_path / "run")]) == 0
    assert "target: 60 numbers, predicted by regression" in capsys.readouterr().out
    (cell,) = (json.loads(row) for row in rows_of(tmp_path / "run").values())
    best = cell["rows"][-1]
    assert best["features"] == [1, 2] and best["holdout"]["ridge"] > 0.9
    assert set(best["holdout"]) == {"ridge", "knn-regression"}
    assert (cell["n_train"], cell["n_test"]) == (30, 30)


def test_the_task_is_that_of_the_criteria():
    assert common_task(parse_spec(SPEC).arms) == "regression"
    knn = "criterion = {name = 'knn'}"
    mixed = SPEC.replace(', "knn-regression"', "") + f"[[arms]]\nname = 'b'\nmethod = 'SFS'\n{knn}\n"
    assert common_task(parse_spec(mixed).arms) == "classification"
    for score in ("accuracy", "class_r2"):
        classes = SPEC.replace('name = "ridge"', f'name = "ridge"\nscore = "{score}"')
        with pytest.raises(SpecError, match=r"a list of same, knn, svm, .*, ridge, logistic, forest, each"):
            parse_spec(classes)
    with pytest.raises(SpecError, match="of same, ridge, knn-regression, forest, each at most once, for numbers"):
        parse_spec(SPEC.replace('"knn-regression"', '"svm"'))
    with pytest.raises(SpecError, match=r"`data\.drop` must be a list of names and numbers of columns"):
        parse_spec(SPEC.replace('["id"]', '"id"'))
