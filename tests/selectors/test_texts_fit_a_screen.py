"""Whatever is handed back can be looked at: its text fits a screen, however many features and steps there were."""

from __future__ import annotations

import re
from functools import cache
from math import ceil

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import sweepless as sw

MOST, WIDTH = 25, 120
DRAWS = np.random.default_rng(0)
Y = DRAWS.permutation(np.arange(60) % 2)
X = DRAWS.normal(size=(60, 1200)) + 0.5 * Y[:, None]
NAMES = [f"a rather long name of a column, number {k}" for k in range(1200)]
DATA = sw.Dataset(X, Y, feature_names=NAMES)


def n_lines(text: str) -> int:
    return sum(max(1, ceil(len(line) / WIDTH)) for line in text.splitlines())


@cache
def fitted(**options):
    selector = sw.SequentialSelector(GaussianNB(), n_features_to_select=40, max_size=60, random_state=0, **options)
    return selector.fit(pd.DataFrame(X, columns=NAMES), Y)


@cache
def repeated():
    selector = sw.SequentialSelector(GaussianNB(), n_features_to_select=40, max_size=40, random_state=0)
    return sw.consensus(selector, pd.DataFrame(X, columns=NAMES), Y, n_runs=3, random_state=0)


def shuffled():
    selector = sw.SequentialSelector(GaussianNB(), max_size=40, random_state=0)
    return sw.permutation_reference(selector, X, Y, n_shuffles=3, random_state=0)


MADE = {
    "selector": fitted,
    "ranking selector": lambda: sw.RankingSelector(GaussianNB(), n_features_to_select=40).fit(X, Y),
    "audited selector": lambda: fitted(audit=0.3),
    "coverage": lambda: fitted().coverage_,
    "criterion": lambda: fitted().criterion_,
    "anatomy": lambda: fitted().anatomy_,
    "result": lambda: sw.run("sSFFS", sw.criteria.GaussianNB(), DATA, max_size=60, budget=50),
    "stopped result": lambda: sw.run("sSFFS", sw.criteria.GaussianNB(), DATA, budget=50, max_evaluations=1),
    "ranking": lambda: sw.run("BIF", sw.criteria.GaussianNB(), DATA),
    "trial": lambda: sw.run_trial(
        "sSFS", sw.criteria.GaussianNB(), DATA, split=sw.RandomSplits(), max_size=60, budget=50
    ),
    "consensus": repeated,
    "one run of a consensus": lambda: repeated().runs[0],
    "permutation reference": shuffled,
    "cost estimate": lambda: fitted().estimate_cost(X, Y),
    "cost prediction": lambda: sw.predict_cost("SFS", 1200, target=60),
    "data": lambda: DATA,
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.filterwarnings("ignore::sweepless.errors.AuditWarning")
def test_texts_fit_a_screen(name):
    made = MADE[name]()
    for text in (repr(made), str(made)):
        assert 1 <= n_lines(text) <= MOST, text
    if hasattr(made, "_repr_html_"):
        unseen = r"<style.*?</style>|<script.*?</script>|<details.*?</details>"
        shown = re.sub("<[^>]+>", "", re.sub(unseen, "", made._repr_html_(), flags=re.DOTALL))
        assert n_lines(re.sub(r"\s*\n\s*", "\n", shown).strip()) <= MOST


def test_a_consensus_tells_what_it_found():
    text = repr(repeated())
    assert text.startswith("Consensus of 3 runs: 40 of 1,200 features\n")
    assert "a rather long name of a column, number " in text and "… and 25 more in `features`" in text
