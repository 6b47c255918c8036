"""Targets against the specs in campaigns/: every arm is there, every claim can be computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sweepless.cli.reproduce import _NAMES
from sweepless.paper.measures import Runs
from sweepless.paper.reproduction import chosen_cells, find_spec, quick_seeds
from sweepless.paper.tables.retention import RETENTION
from sweepless.paper.targets import TARGETS
from sweepless.schema.spec import sizes_asked_for
from tests.paper.hand_made import cell, run_of

CAMPAIGNS = sorted(path.stem for path in (Path(__file__).resolve().parents[2] / "campaigns").glob("*.toml"))


def complete_run(name):
    """Make a run of a spec in which every reported size has a value that no other has."""
    spec = find_spec(name)
    n_features = {"madelon": 500, "gisette": 5000, "reuters": 10_105}[spec.data.name]
    cells = []
    for rank, arm in enumerate(spec.arms):
        sizes = sizes_asked_for(arm.report) or range(1, (arm.stop.get("max_size") or arm.stop["target"]) + 1)
        for seed in spec.seeds:
            cells.append(
                cell(
                    arm.name,
                    seed,
                    sorted(sizes),
                    lambda arm, seed, size, rank=rank: (
                        0.5 + rank / 100 + (7 * seed + 3 * rank) % 11 / 1000 + size / 1e5
                    ),
                    n_features=n_features,
                    n_evaluations=1000 * (rank + 1) + seed,
                    forward=600,
                    backward=400,
                    ranking=100 + seed,
                )
            )
    return run_of(name, cells)


@pytest.fixture(scope="module")
def complete():
    return Runs({name: complete_run(name) for name in CAMPAIGNS})


@pytest.mark.parametrize("name", TARGETS)
def test_every_number_of_a_target_comes_out_of_the_arms_it_names(name, complete):
    target = TARGETS[name]
    needed = {(arm.campaign, arm.name, seed) for arm in target.arms for seed in arm.seeds}
    only = Runs(
        {
            campaign: run_of(campaign, [one for one in run.cells if (campaign, one.arm, one.seed) in needed])
            for campaign, run in complete.by_name.items()
        }
    )
    open_claims = [claim for one in target.printed if (claim := one.judged(only)).verdict == "not computed"]
    assert open_claims == []
    beside = [one.judged(only) for one in target.beside]
    assert all(claim.ours is not None and claim.paper is None and claim.verdict == "ours" for claim in beside)
    assert all(one.judged(Runs({})).ours is None for one in target.beside)


@pytest.mark.parametrize("name", TARGETS)
def test_arms_of_a_target_are_in_its_specs(name):
    for arm in TARGETS[name].arms:
        spec = find_spec(arm.campaign)
        assert arm.name in [one.name for one in spec.arms]
        assert set(arm.seeds) <= set(spec.seeds)


def test_every_arm_of_every_spec_is_used_by_some_target():
    used = {(arm.campaign, arm.name) for target in TARGETS.values() for arm in target.arms}
    assert used == {(name, arm.name) for name in CAMPAIGNS for arm in find_spec(name).arms}


def test_claims_51_to_98_are_all_there():
    claimed = {int(one.id[1:]) for target in TARGETS.values() for one in target.printed}
    # C70 lists the columns of the figures' data, and C87 is about the time full SFFS took on the paper's machine.
    assert claimed == set(range(51, 99)) - {70, 87}


def test_the_command_line_lists_the_targets():
    assert list(_NAMES) == [*TARGETS, "all"]


def test_an_arm_brings_the_arm_that_it_matches():
    spec = find_spec("gisette-default")
    matched = next(arm for arm in TARGETS["gisette-ladder"].arms if arm.name == "DAF, matched evaluations")
    chosen = chosen_cells([matched.on(2)], [spec], None, quick=False)
    assert chosen == {"gisette-default": {("DAF, matched evaluations", 2), ("sSFFS y=100", 2)}}


def test_seeds_that_are_not_asked_for_are_left_out():
    target = TARGETS["madelon-anatomy"]
    chosen = chosen_cells(target.arms, [find_spec("madelon-range")], {1, 2}, quick=False)
    assert {seed for _, seed in chosen["madelon-range"]} == {1, 2}


def test_quick_runs_some_cells_of_every_data_set_and_never_another_cell():
    arms = {arm for target in TARGETS.values() for arm in target.arms}
    chosen = {(arm.campaign, arm.name, seed) for arm in arms for seed in quick_seeds(arm)}
    everything = {(arm.campaign, arm.name, seed) for arm in arms for seed in arm.seeds}
    assert chosen < everything
    assert {campaign.partition("-")[0] for campaign, *_ in chosen} == {"madelon", "gisette", "reuters"}


def test_retention_is_against_full_search_of_the_same_size(complete):
    claims = {one.what: one for one in RETENTION}
    run = complete.by_name["madelon-range"]
    full, exact = ({c.seed: c for c in run.of(name)}[1] for name in ("SFFS", "sSFFS y=100, exact backward"))
    expected = min(100 * exact.by_size[size].value / full.by_size[size].value for size in range(1, 166))
    measured = claims["least retention, exact backward, seed 1, %"].measure(complete)
    assert measured == pytest.approx(expected)
