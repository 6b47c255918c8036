"""What the README shows must work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_first_example_runs_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(compile(BLOCKS[0], "README.md", "exec"), names)
    size, honest = capsys.readouterr().out.split()[:2]
    assert 5 <= int(size) <= 20
    assert 0.8 < float(honest) < 1
    assert (names["selector"].subsets_[int(size)].features < 20).mean() > 0.8  # those that matter
    assert names["X_five"].shape == (150, 5)


def test_the_predictions_are_the_stated_ones() -> None:
    from sweepless import predict_cost

    stated = re.findall(r"(predict_cost\(.*?\)\.evaluations) +# ([0-9,]+)", README)
    assert len(stated) == 2
    for expression, count in stated:
        assert eval(expression, {"predict_cost": predict_cost}) == int(count.replace(",", ""))


def test_the_own_criterion_of_the_docs_keeps_the_contract() -> None:
    import numpy as np

    from sweepless import Dataset
    from sweepless.testing import check_criterion

    docs = (Path(__file__).resolve().parents[1] / "docs" / "criteria.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(re.findall(r"```python\n(.*?)```", docs, re.DOTALL)[0], "criteria.md", "exec"), names)
    check_criterion(names["LeastCorrelation"](), Dataset(np.random.default_rng(0).normal(size=(30, 6))), n_rounds=5)


def test_the_two_commands_are_on_the_first_screen() -> None:
    first_screen = "\n".join(README.splitlines()[:40])
    assert "make demo" in first_screen
    assert "make test" in first_screen


def test_it_is_short_and_narrow() -> None:
    lines = README.splitlines()
    assert len(lines) < 100
    assert max(map(len, lines)) < 120
