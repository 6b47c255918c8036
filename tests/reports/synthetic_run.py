"""A run directory as a campaign would write it, with made-up but plausible numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sweepless.schema.run import sealed

ARMS = ("SFFS", "sSFFS y=100", "BIF")


def write_run(
    path: Path,
    *,
    arms: Sequence[str] = ARMS,
    seeds: Sequence[int] = (1, 2, 3, 4),
    sizes: Sequence[int] = range(1, 31),
    n_features: int = 60,
    classifiers: Sequence[str] = ("knn", "svm"),
    names: Sequence[str] | None = None,
    title: str = "A synthetic trade-off",
    planned_seeds: Sequence[int] | None = None,
    n_steps: int = 80,
) -> Path:
    """Write a run directory; planned seeds that are not among the seeds are missing."""
    (path / "cells").mkdir(parents=True)
    header = {
        "format": 2,
        "name": "synthetic",
        "title": title,
        "spec": {
            "name": "synthetic",
            "seeds": list(planned_seeds or seeds),
            "rng": "portable",
            "data": {"name": "make_madelon", "scale": "train"},
            "split": {"train": 50, "test": 50},
            "validation": {"classifiers": list(classifiers), "sizes": "all"},
            "cost": [3.6797, 0.48717],
            "arms": [{"name": arm, "method": arm.split()[0], "options": {}, "criterion": {"name": "knn"}, "stop": {},
                      "report": "all"} for arm in arms],
        },
        "cost_model": [3.6797, 0.48717],
        "spec_text": 'name = "synthetic"\nseeds = "1-4"\n',
        "data": {"name": "make_madelon", "n_samples": 2000, "n_features": n_features, "n_classes": 2,
                 "fingerprint": "0123456789abcdef"},
        "versions": {"sweepless": "0.1", "numpy": "2.0"},
        "command": ["sweepless", "run", "my spec.toml", "--n-jobs", "2"],
        "feature_names": None if names is None else list(names),
    }  # fmt: skip
    (path / "run.json").write_text(json.dumps(header), encoding="utf-8")
    times = []
    for k, arm in enumerate(arms):
        for seed in seeds:
            cell = _cell(arm, k, seed, list(sizes), n_features, classifiers, n_steps)
            (path / "cells" / f"{cell['cell']}.json").write_text(sealed(cell), encoding="utf-8")
            times.append(json.dumps({"cell": cell["cell"], "seconds": 2.5 + k, "search_seconds": 2.0 + k}))
    (path / "times.jsonl").write_text("\n".join(times) + "\n")
    return path


def _cell(
    arm: str, k: int, seed: int, sizes: list[int], n_features: int, classifiers: Sequence[str], n_steps: int
) -> dict[str, Any]:
    rng = np.random.default_rng([k, seed])
    order = np.argsort(np.arange(n_features) + rng.normal(0, 3 + 2 * k, n_features))
    peak = max(sizes) * 0.3
    level = 0.9 - 0.015 * k + rng.normal(0, 0.006)
    rows = []
    for size in sizes:
        value = level - 0.2 / size - 0.05 * max(0.0, size / peak - 1) / 3 + rng.normal(0, 0.002)
        rows.append(
            {
                "size": size,
                "value": value,
                "n_evaluations": 100 * size * (k + 1),
                "sum_of_sizes": 50 * size * size * (k + 1),
                "features": sorted(order[:size].tolist()),
                "holdout": {name: value - 0.02 - 0.03 * j for j, name in enumerate(classifiers)},
            }
        )
    steps, size = [], 0
    for step in range(n_steps):
        forward = size < 2 or bool(rng.random() < 0.7)
        size += 1 if forward else -1
        steps.append([200 + 90 * (step + 1), size, 0.7 + 0.002 * size, "forward" if forward else "backward"])
    parts = {"warm_up": 200, "forward": 70 * n_steps // (k + 1), "backward": 20 * n_steps, "ranking": 0, "start": 0}
    slug = "".join(character if character.isalnum() else "-" for character in arm.lower())
    return {
        "cell": f"{slug}--s{seed:02}--0a1b2c{k:02}", "arm": arm, "seed": seed, "method": arm.split()[0],
        "criterion": "KNN(n_neighbors=1, folds=3)", "data": "make_madelon",
        "options": {"name": arm, "method": arm.split()[0], "budget": 100}, "rng": "portable",
        "n_features": n_features, "n_train": 1000, "n_test": 1000, "stop_reason": "frontier",
        "n_evaluations": sum(parts.values()), "sum_of_sizes": 20 * sum(parts.values()),
        "rows": rows, "trajectory": steps,
    } | {f"{name}_evaluations": count for name, count in parts.items()}  # fmt: skip
