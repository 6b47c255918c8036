"""Data like madelon, of any size and with the truth written in the feature names."""

from __future__ import annotations

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features, Values
from sweepless.dataset import Dataset
from sweepless.engine.portable import PortableRng
from sweepless.errors import InputError

# Keeps the data apart from the streams of a run that is given the same seed.
_SEED_MASK = 0x6D6164656C6F6E
_MAX_INFORMATIVE = 60  # vertices are numbered by 64-bit integers
# The real set's columns have means from 476 to 518, probes with deviations up to 45, and span 0..999.
_OFFSET, _LEAST_SCALE, _GREATEST_SCALE, _TOP = 476.0, 2.0, 45.0, 999.0


def make_madelon(
    n_samples: int = 2000,
    n_informative: int = 5,
    n_redundant: int = 15,
    n_features: int = 500,
    *,
    n_clusters_per_class: int = 16,
    class_sep: float = 2.0,
    flip: float = 0.01,
    seed: int = 0,
) -> Dataset:
    """Draw a two-class problem after Guyon's recipe for the NIPS 2003 set madelon.

    Clusters sit on randomly chosen vertices of a hypercube in the space of the informative features,
    which no single feature can tell apart. Redundant features are linear combinations of the
    informative ones; all others are noise ("probes").

    Parameters
    ----------
    n_samples : int
        Half of them, up to one, in each class before flipping.
    n_informative, n_redundant, n_features : int
        The rest of the features are probes.
    n_clusters_per_class : int
        Twice this must not exceed the 2**n_informative vertices.
    class_sep : float
        Half the side of the hypercube, in deviations of the unmixed noise.
    flip : float
        Fraction of the samples whose label is turned round.
    seed : int
        Same seed, same data, on every platform up to its mathematical library.

    Returns
    -------
    Dataset
        Integers from 0 to 999 as float64, classes -1 and 1, samples in random order, columns in
        random order under the names `informative_0…`, `redundant_0…`, `probe_0…`.

    References
    ----------
    I. Guyon, "Design of experiments for the NIPS 2003 variable selection benchmark", 2003.

    Examples
    --------
    >>> from sweepless import make_madelon
    >>> data = make_madelon(n_samples=100, n_features=30, n_redundant=5, seed=1)
    >>> data.X.shape, sum(not name.startswith("probe") for name in data.feature_names)
    ((100, 30), 10)
    """
    _check(n_samples, n_informative, n_redundant, n_features, n_clusters_per_class, class_sep, flip)
    # PortableRng checks the seed itself; a mask cannot be applied to what is no integer.
    rng = PortableRng(PortableRng(seed).seed ^ _SEED_MASK)
    n_clusters = 2 * n_clusters_per_class
    vertices = rng.subset(2**n_informative, n_clusters)[_shuffle(rng, n_clusters)]
    corners = 2.0 * (vertices[:, None] >> np.arange(n_informative) & 1) - 1.0

    cluster = np.arange(n_samples) % n_clusters  # even clusters are class -1, odd ones class 1
    y = 2 * (cluster % 2) - 1
    informative = _normals(rng, n_samples, n_informative)
    for number in range(n_clusters):
        rows = cluster == number
        mixing = _uniforms(rng, -1.0, 1.0, n_informative, n_informative)
        informative[rows] = _product(informative[rows], mixing) + class_sep * corners[number]
    redundant = _product(informative, _uniforms(rng, -1.0, 1.0, n_informative, n_redundant))
    n_probes = n_features - n_informative - n_redundant
    X = np.hstack([informative, redundant, _normals(rng, n_samples, n_probes)])

    X += _uniforms(rng, 0.0, 1.0, n_features)
    X *= _uniforms(rng, _LEAST_SCALE, _GREATEST_SCALE, n_features)
    X = np.clip(np.rint(X + _OFFSET), 0.0, _TOP)
    flipped = rng.subset(n_samples, round(flip * n_samples))
    y[flipped] = -y[flipped]

    kinds = {"informative": n_informative, "redundant": n_redundant, "probe": n_probes}
    names = [f"{kind}_{number}" for kind, count in kinds.items() for number in range(count)]
    rows, columns = _shuffle(rng, n_samples), _shuffle(rng, n_features)
    return Dataset(
        X[np.ix_(rows, columns)],
        y[rows].astype(np.int64),
        feature_names=[names[column] for column in columns],
        classes=(-1, 1),
        name="make_madelon",
    )


def _check(
    n_samples: int,
    n_informative: int,
    n_redundant: int,
    n_features: int,
    n_clusters_per_class: int,
    class_sep: float,
    flip: float,
) -> None:
    """Refuse sizes that contradict one another."""
    lower = {
        "n_samples": (n_samples, 2),
        "n_informative": (n_informative, 1),
        "n_redundant": (n_redundant, 0),
        "n_features": (n_features, n_informative + n_redundant),
        "n_clusters_per_class": (n_clusters_per_class, 1),
    }
    for name, (value, least) in lower.items():
        whole(name, value, least)
    if n_informative > _MAX_INFORMATIVE:
        raise InputError(f"`n_informative` must be at most {_MAX_INFORMATIVE}, got {n_informative}.")
    if 2 * n_clusters_per_class > 2**n_informative:
        most = 2 ** (n_informative - 1)
        raise InputError(
            f"`n_clusters_per_class` must be at most {most} with {n_informative} informative features, "
            f"got {n_clusters_per_class}."
        )
    if not (np.isfinite(class_sep) and class_sep >= 0):
        raise InputError(f"`class_sep` must be a finite number of at least 0, got {class_sep!r}.")
    if not 0 <= flip <= 1:
        raise InputError(f"`flip` must be from 0 to 1, got {flip!r}.")


def _uniforms(rng: PortableRng, low: float, high: float, *shape: int) -> Values:
    """Draw reals between two bounds."""
    return low + (high - low) * rng.uniforms(int(np.prod(shape))).reshape(shape)


def _normals(rng: PortableRng, *shape: int) -> Values:
    """Draw standard normal reals by inversion."""
    from scipy.special import ndtri  # here, because importing it takes longer than this whole package

    # A uniform of 0 would give minus infinity.
    uniforms = np.maximum(rng.uniforms(int(np.prod(shape))), 2.0**-54)
    return np.asarray(ndtri(uniforms), dtype=np.float64).reshape(shape)


def _product(left: Values, right: Values) -> Values:
    """Multiply two matrices adding in index order; BLAS would add in an order of its own."""
    total = np.zeros((len(left), right.shape[1]))
    for inner in range(left.shape[1]):
        total += left[:, inner, None] * right[inner]
    return total


def _shuffle(rng: PortableRng, count: int) -> Features:
    """Draw a permutation."""
    return np.argsort(rng.uniforms(count), kind="stable").astype(np.intp)
