"""1-NN on two features by walks along the first, beside the definition."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.criteria.neighbors.layout import layout
from sweepless.kernels.neighbors.definition import OFFSET, count_correct_by_definition
from sweepless.kernels.neighbors.walks import count_by_walks

DRAWS = np.random.default_rng(7)
KINDS = {
    "ordinary": DRAWS.normal(size=(2, 150)),
    "scaled whole numbers": DRAWS.integers(0, 40, (2, 150)) / 39.0,
    "few values": DRAWS.integers(0, 3, (2, 150)) / 7.0,
    "a constant member": np.stack([np.ones(150), DRAWS.normal(size=150)]),
    "a constant candidate": np.stack([DRAWS.normal(size=150), np.zeros(150)]),
    "all equal": np.ones((2, 150)),
    "squares that vanish": 1e-170 * DRAWS.integers(0, 3, (2, 150)),
    "one far away": np.where(np.arange(150) == 70, 1e12, DRAWS.normal(size=(2, 150))),
    "nearly equal": 1.0 + 2.0**-50 * DRAWS.integers(0, 9, (2, 150)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_samples", [8, 40, 150])
@pytest.mark.parametrize("ties", ["class", "index"])
@pytest.mark.parametrize("manhattan", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_walks_find_the_nearest_by_the_definition(kind, n_samples, ties, manhattan, n_classes):
    columns = np.ascontiguousarray(KINDS[kind][:, :n_samples])
    labels = np.arange(n_samples) * 7 // 2 % n_classes
    frame, n_accounts = layout(3, labels, labels, ties, 1, "data")
    candidates = np.stack([columns[1], columns[0], -columns[1] / 3.0])
    middles, spans = (candidates.min(axis=1) + candidates.max(axis=1)) / 2, np.ptp(candidates, axis=1)
    span = np.ptp(columns[0])
    spans, span = (spans, span) if manhattan else (spans**2, span**2)
    offsets, middle = OFFSET * (spans + span) + 1e-43, (columns[0].min() + columns[0].max()) / 2
    is_open, correct = np.ones((n_samples, 3), dtype=np.bool_), np.zeros((3, n_accounts), dtype=np.int64)
    is_open[::5, 1], places = False, np.arange(3)
    step = frame, columns[0], middle, candidates, places, middles, offsets, manhattan
    count_by_walks(*step, np.arange(n_samples)[::-1].copy(), is_open, correct)
    others = np.zeros_like(correct)
    count_by_walks(*step, np.arange(n_samples), ~is_open, others)
    assert not others[[0, 2]].any() and others[1].sum() <= np.count_nonzero(~is_open)
    for c, candidate in enumerate(candidates):
        both = np.stack([columns[0], candidate])
        expected = count_correct_by_definition(frame, both, 1, n_accounts, manhattan, None)
        assert (correct + others)[c].tolist() == expected.tolist()
