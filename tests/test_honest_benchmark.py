"""The benchmark of holdout accuracy: its halves, its arithmetic and its page, with numbers made up for them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import honest_sets
from honest_arms import ALL, ARMS, N_RANDOM, draws
from honest_cells import JUDGES, OverTime, at_most, cell, planned, read_rows, write_rows
from honest_numbers import Found
from honest_page import write_page
from honest_picture import cliques
from honest_sets import SETS, halves

SIZES = (5, 10, 25, 50)


def row(name: str, seed: int, arm: str, accuracy: float) -> dict[str, object]:
    """A finished cell whose judges all say the same."""
    sizes = (100,) if arm == ALL else SIZES
    return {
        "set": name,
        "seed": seed,
        "arm": arm,
        "n_features": 100,
        "seconds": 2.0,
        "cpu": 1.0 if arm == "RFE" else 3.0,
        "features": {} if arm == ALL else {str(size): list(range(size)) for size in sizes},
        "scores": {str(size): dict.fromkeys(JUDGES["classification"], accuracy) for size in sizes},
    }


def rows(accuracies: dict[str, dict[str, list[float]]]) -> dict[tuple[str, int, str], dict[str, object]]:
    made = [
        row(name, seed, arm, accuracy)
        for name, by_arm in accuracies.items()
        for arm, over in by_arm.items()
        for seed, accuracy in enumerate(over, 1)
    ]
    return {(one["set"], one["seed"], one["arm"]): one for one in made}


TWO_SETS = {
    "colon": {"auto": [0.8, 0.9], "RFE": [0.7, 0.7], "forest": [0.8, 0.8], ALL: [0.9, 0.9]},
    "isolet": {"auto": [0.5, 0.5], "RFE": [0.6, 0.7], "forest": [0.4, 0.3], ALL: [0.9, 0.9]},
}


def test_means_ranks_and_differences_are_over_sets() -> None:
    found = Found(rows(TWO_SETS), "classification")
    assert found.sets == ("colon", "isolet") and set(found.rivals) == {"auto", "RFE", "forest"}
    assert found.mean("auto") == pytest.approx(0.675) and found.mean(ALL) == pytest.approx(0.9)
    assert found.ranks(found.rivals) == pytest.approx({"auto": 1.5, "RFE": 2.0, "forest": 2.5})
    mean, reach = found.difference("auto", "RFE")
    # Differences of .1 and .2, and of -.1 and -.2: variance .005 each, times 1/2 + 1 for the halves that share samples,
    # over 2² sets; 4.303 is Student's 97.5 % quantile for 2 degrees of freedom.
    assert mean == pytest.approx(0.0, abs=1e-12)
    assert reach == pytest.approx(4.30265 * (2 * 0.005 * 1.5 / 4) ** 0.5, rel=1e-4)
    assert found.stability("colon", "auto", 5) == 1.0


def test_an_arm_without_every_half_is_not_compared_over_sets() -> None:
    some = rows(TWO_SETS)
    del some["isolet", 2, "forest"]
    found = Found(some, "classification")
    assert "forest" not in found.complete and "forest" in found.arms
    assert found.on("isolet", "forest") == pytest.approx([0.4])


def test_the_critical_difference_is_that_of_nemenyi() -> None:
    made = {name: {"auto": [0.5, 0.6]} for name in SETS["classification"]}
    found = Found(rows(made), "classification")
    # 2.569 is the tabulated q of four arms at 5 %.
    assert found.critical_difference(4) == pytest.approx(2.569 * (4 * 5 / (6 * 8)) ** 0.5, rel=1e-3)


def test_bars_join_what_cannot_be_told_apart() -> None:
    ranks = {"a": 1.0, "b": 2.0, "c": 2.9, "d": 5.0}
    assert cliques(ranks, 1.5) == [(1.0, 2.0), (2.0, 2.9)]
    assert cliques(ranks, 0.5) == []
    assert cliques(ranks, 9.0) == [(1.0, 5.0)]


def test_halves_are_standardised_by_the_training_half(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(3.0, 2.0, (60, 4)), np.repeat([0, 1, 2], [30, 20, 10])
    X[:, 2] = 0.1
    monkeypatch.setattr(honest_sets, "read", lambda name: (X, y))
    train, y_train, test, y_test = halves("colon", 3)
    assert np.bincount(y_train).tolist() == np.bincount(y_test).tolist() == [15, 10, 5]
    assert train.mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert train.std(axis=0) == pytest.approx([1.0, 1.0, 0.0, 1.0])
    assert not test[:, 2].any() and abs(test[:, 0].mean()) > 1e-6
    assert not np.array_equal(halves("colon", 4)[0], train)


def test_a_cell_chooses_on_one_half_and_is_judged_on_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 60))
    X[:, 7] += 4 * y
    monkeypatch.setattr(honest_sets, "read", lambda name: (X, y))
    found = cell("colon", 1, "SelectKBest F", 60.0)
    assert found["n_train"] == found["n_test"] == 60
    assert {size: len(features) for size, features in found["features"].items()} == {size: size for size in SIZES}
    assert 7 in found["features"][5] and min(found["scores"][5].values()) > 0.8
    several = cell("colon", 1, "random", 60.0)
    assert len(draws("random", 1)) == N_RANDOM and several["scores"].keys() == found["scores"].keys()
    assert cell("colon", 1, ALL, 60.0)["scores"].keys() == {60}


def test_what_fails_takes_too_long_or_is_missing_has_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def endless(*given: object) -> None:
        while True:
            pass

    def failing(*given: object) -> None:
        raise ValueError("no such luck")

    monkeypatch.setattr(honest_sets, "read", lambda name: (np.eye(20), np.arange(20) % 2))
    monkeypatch.setitem(ARMS["classification"], "endless", endless)
    monkeypatch.setitem(ARMS["classification"], "failing", failing)
    assert cell("colon", 1, "endless", 0.2)["skipped"] == "took more than 0 s"
    assert cell("colon", 1, "failing", 9.0)["skipped"] == "ValueError: no such luck"
    monkeypatch.undo()
    monkeypatch.setenv("SWEEPLESS_DATA", str(tmp_path))
    honest_sets.read.cache_clear()
    assert "colon is not in" in cell("colon", 1, "SelectKBest F", 9.0)["skipped"]


def test_the_limit_is_lifted_afterwards() -> None:
    with pytest.raises(OverTime), at_most(0.05):
        while True:
            pass
    with at_most(0.05):
        pass
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass


def test_finished_cells_are_read_again(tmp_path: Path) -> None:
    path, made = tmp_path / "cells.jsonl.gz", rows(TWO_SETS)
    made["colon", 1, "auto"]["cpu"] = 1 / 3
    write_rows(path, made)
    first = path.read_bytes()
    assert read_rows(path) == made | {("colon", 1, "auto"): made["colon", 1, "auto"] | {"cpu": 0.333333}}
    write_rows(path, dict(reversed(made.items())))
    assert path.read_bytes() == first and [file.name for file in tmp_path.iterdir()] == [path.name]
    assert read_rows(tmp_path / "none.jsonl.gz") == {}


def test_every_arm_has_one_half_of_every_set_before_the_next_half() -> None:
    keys = planned(["colon", "diabetes"], [1, 2], None)
    assert len(set(keys)) == len(keys) == 2 * (len(ARMS["classification"]) + len(ARMS["regression"]))
    assert [key[1] for key in keys] == sorted(key[1] for key in keys)
    assert ("diabetes", 1, "ReliefF") not in keys
    assert planned(["colon"], [4], ["auto"]) == [("colon", 4, "auto")]


def test_the_page_names_wins_losses_and_what_was_left_out(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    some = rows(TWO_SETS) | {
        ("colon", 1, "Boruta"): {"set": "colon", "seed": 1, "arm": "Boruta", "skipped": "took more than 900 s"}
    }
    write_page(some, tmp_path / "out.json", tmp_path / "honest.md")
    page = (tmp_path / "honest.md").read_text(encoding="utf-8")
    assert "The best single peer is RFE; auto differs from it by +0.000 ± 0.263." in page
    assert "| auto | **0.850** | 0.500 |" in page and "| RFE | 0.700 | **0.650** |" in page
    losses = page[page.index("### Where a peer wins") : page.index("### Stability")]
    assert "| isolet | 25 | RFE | +0.150" in losses and "colon" not in losses
    assert "| auto | 3 (3×) | 3 (3×) |" in page
    assert "- Boruta on colon: took more than 900 s." in page
    assert "- Boruta has not been run on isolet." in page and "- ReliefF has not been run on any set." in page
    assert "- auto has not" not in page
    assert "What was tuned on these sets" in page and (tmp_path / "honest.svg").is_file()
    assert len(json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["classification"]["rows"]) == 2 * 4 * 13
