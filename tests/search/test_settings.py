"""Every knob once: the settings of a search, in Python, in words and back."""

from __future__ import annotations

import inspect
import json
from dataclasses import MISSING, fields

import numpy as np
import pytest

from sweepless import METHODS, SearchSettings, run
from sweepless.errors import InputError
from sweepless.search import BudgetFraction, Frozen, RawMeanStatistics, SoftmaxProposal, UniformProposal, WarmUp
from sweepless.search.plan import plan, settings_in_words
from sweepless.search.settings import OWN


def test_run_offers_every_setting_with_its_default():
    offered = {p.name: p.default for p in inspect.signature(run).parameters.values()}
    for field in fields(SearchSettings):
        assert field.default is not MISSING
        assert offered.pop(field.name) == (inspect.Parameter.empty if field.name == "method" else field.default)
    assert list(offered) == ["criterion", "data", "callbacks", "journal"]


SETTINGS = [
    SearchSettings(),
    SearchSettings(method="SFFS", target=7, overshoot=None, start=[3, 1], max_seconds=2.5, patience=3, tol=0.1),
    SearchSettings(budget=None, backward_budget=BudgetFraction(0.25), warm_up=WarmUp(20, 5), horizon=9),
    SearchSettings(proposal=SoftmaxProposal(0.4, 2.0), statistics=Frozen(RawMeanStatistics(7)), warm_up=None),
    SearchSettings(method="DAF1", n_probes=50, probe_sizes=(1, 9), drop_duplicates=True, ties="high"),
    SearchSettings(method="(l,r)", l=3, r=1, target=np.int64(4), seed=np.uint8(2)),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
def test_settings_survive_a_file(settings):
    plain = json.loads(json.dumps(settings.to_dict()))
    assert SearchSettings.from_dict(plain).to_dict() == settings.to_dict()


def test_words_mean_objects():
    words = settings_in_words(
        "sSFFS", {"budget": "full", "backward_budget": 0.5, "warm_up": "200@10", "proposal": "uniform"}, seed=3
    )
    assert words.budget is None and words.backward_budget == BudgetFraction(0.5)
    assert words.warm_up == WarmUp(200, 10) and words.proposal == UniformProposal() and words.seed == 3
    assert settings_in_words("SFFS", {"budget": "full", "warm_up": "none"}).warm_up is None
    with pytest.raises(InputError, match="`pool_size` is not an option of sSFFS; its options are: budget"):
        settings_in_words("sSFFS", {"pool_size": 3})
    assert settings_in_words("sSFFS", {"prior": "none"}).prior is None
    with pytest.raises(InputError, match="`prior` must be 'auto', an array of scores or None, got 3"):
        settings_in_words("sSFFS", {"prior": 3})


def test_an_object_of_your_own_must_be_given_again():
    class Mine(UniformProposal):
        pass

    plain = SearchSettings(proposal=Mine()).to_dict(unnamed=lambda thing: {"is": type(thing).__name__})
    assert plain["proposal"] == {"is": "Mine"}
    with pytest.raises(InputError, match="`proposal` must be given again"):
        SearchSettings.from_dict(plain)


@pytest.mark.parametrize("method", ["sSFFS", "sOS", "sSBS"])
def test_methods_by_name_warm_up_automatically_and_methods_of_your_own_as_they_are(method):
    assert plan(SearchSettings(method=method, target=10), 500).warm_up is not None
    assert plan(SearchSettings(method=METHODS[method], target=10), 500).warm_up is None
    assert plan(SearchSettings(method=METHODS[method], target=10, warm_up="auto"), 500).warm_up is not None
    assert plan(SearchSettings(method=method, target=10, warm_up=None), 500).warm_up is None
    assert plan(SearchSettings(method=method, target=10, budget=None, backward_budget=None), 500).warm_up is None


def test_probes_get_half_of_the_time_unless_they_have_their_own():
    planned = plan(SearchSettings(max_seconds=8.0, warm_up="30@5"), 100)
    assert planned.warm_up.max_seconds == 4.0 and planned.settings.warm_up == planned.warm_up
    assert plan(SearchSettings(max_seconds=8.0, warm_up=WarmUp(30, 5, max_seconds=1.0)), 100).warm_up.max_seconds == 1.0


def test_what_nobody_chose_is_not_said():
    assert "budget" not in SearchSettings().to_dict() and SearchSettings().given == {}
    assert repr(OWN) == "OWN"
