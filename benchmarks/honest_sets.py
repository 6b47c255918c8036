"""The sets of the honest benchmark: real ones read where they are, and made-up ones of numbers to predict."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import PolynomialFeatures

import sweepless as sw
from sets import find_data
from unseen_sets import UNSEEN

Array = np.ndarray
Halves = tuple[Array, Array, Array, Array]


class Missing(Exception):
    """Says which set is not there."""


def _wide(name: str) -> tuple[Array, Array]:
    folder = Path(find_data()) / "wide" / name
    if not folder.is_dir():
        raise Missing(f"{name} is not in {folder.parent.name} of the data directory")
    if (file := folder / f"{name}.npz").is_file():
        loaded = np.load(file)
        return loaded["X"].astype(np.float64), loaded["y"]
    X = sparse.vstack([sparse.load_npz(part) for part in sorted(folder.glob(f"{name}*_X.npz"))])
    y = np.concatenate([np.load(part) for part in sorted(folder.glob(f"{name}*_y.npy"))])
    return X.toarray().astype(np.float64), y


def _unseen(name: str) -> tuple[Array, Array]:
    if not (file := UNSEEN / f"{name}.npz").is_file():
        raise Missing(f"{name} is not there: `make unseen` makes it")
    loaded = np.load(file, allow_pickle=True)
    X, y = loaded["X"].astype(np.float64), loaded["y"]
    return X, y.astype(np.float64) if task_of(name) == "regression" else np.unique(y, return_inverse=True)[1]


def _of_the_paper(name: str) -> tuple[Array, Array]:
    try:
        data = sw.load(name, data_dir=find_data())
    except sw.errors.SweeplessError as error:
        raise Missing(str(error)) from error
    return np.ascontiguousarray(data.X, dtype=np.float64), data.codes


def _diabetes() -> tuple[Array, Array]:
    """442 patients: ten measurements, their squares and products, and 200 columns of noise."""
    X, y = load_diabetes(return_X_y=True)
    products = PolynomialFeatures(degree=2, include_bias=False).fit_transform(X / X.std(axis=0))
    return np.hstack([products, np.random.default_rng(1).normal(size=(len(X), 200))]), y


def _few_of_many() -> tuple[Array, Array]:
    """Ten of 2,000 independent features matter, linearly."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 2000))
    weights = rng.choice([-1.0, 1.0], 10) * rng.uniform(0.5, 1.5, 10)
    return X, X[:, rng.permutation(2000)[:10]] @ weights + 1.5 * rng.normal(size=400)


def _correlated_groups() -> tuple[Array, Array]:
    """A hundred groups of ten features that share a hidden cause; the causes of eight groups matter."""
    rng = np.random.default_rng(3)
    causes = rng.normal(size=(400, 100))
    X = np.repeat(causes, 10, axis=1) + 0.6 * rng.normal(size=(400, 1000))
    y = causes[:, :8] @ np.linspace(1.5, 0.5, 8) + rng.normal(size=400)
    order = rng.permutation(1000)
    return X[:, order], y


def _nonlinear() -> tuple[Array, Array]:
    """Friedman's first function of five features among 500 that are noise."""
    return make_friedman1(600, 505, noise=1.0, random_state=4)


SETS: dict[str, tuple[str, ...]] = {
    "unseen classes": ("golub", "all_bcr", "hsmm", "pbmc", "mnist", "acsf1", "osuleaf", "mdrr", "reuters"),
    "classification": ("colon", "prostate_ge", "glioma", "dexter", "pcmac", "isolet", "madelon", "gisette"),
    "unseen numbers": ("tecator", "bloodbrain"),
    "regression": ("diabetes", "few of many", "correlated groups", "non-linear"),
}
"""The sets of every chapter: first those that nothing was ever tuned on."""
SIZES = {"classification": (5, 10, 25, 50), "regression": (5, 10, 25)}
_READERS: dict[str, Callable[[], tuple[Array, Array]]] = {
    **{name: partial(_unseen, name) for group in ("unseen classes", "unseen numbers") for name in SETS[group]},
    **{name: partial(_wide, name) for name in SETS["classification"][:6]},
    **{name: partial(_of_the_paper, name) for name in ("madelon", "gisette")},
    "diabetes": _diabetes,
    "few of many": _few_of_many,
    "correlated groups": _correlated_groups,
    "non-linear": _nonlinear,
}


def task_of(name: str) -> str:
    """Return the task of a set, or of a chapter."""
    numbers = ("regression", "unseen numbers")
    return "regression" if name in numbers or any(name in SETS[group] for group in numbers) else "classification"


@cache
def read(name: str) -> tuple[Array, Array]:
    """Return all samples of a set; raise `Missing` where it is not there."""
    return _READERS[name]()


def halves(name: str, seed: int) -> Halves:
    """Return X and y of a random training half and of the other half, standardized by the training half."""
    X, y = read(name)
    strata = y if task_of(name) == "classification" else None
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=strata, random_state=seed)
    mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
    varies = deviation > 1e-12 * (1.0 + np.abs(mean))
    scale = np.where(varies, deviation, np.inf)  # what is constant becomes 0, also on the other half
    return (X[train] - mean) / scale, y[train], (X[test] - mean) / scale, y[test]
