"""A campaign that takes a moment."""

from __future__ import annotations

SPEC = """
name = "small"
seeds = [1, 2]

[data]
name = "make_madelon"
n_samples = 40
n_features = 30

[criterion]
name = "cfs"

[[arms]]
name = "SFS"
method = "SFS"
max_size = 2
"""
