"""Cross-validated naive Bayes, straight from its formulas; ties that rounding decides are left open."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tests.reference.knn import folds_of

TIED = 1e-9  # scores nearer than this, relative to their size, may be ordered by rounding


def gaussian(X, codes, train, members, var_smoothing, epsilon=None):
    """Return the function sample -> {class: score}; variances are exact fractions until they are used."""
    if epsilon is None:
        epsilon = var_smoothing * max(float(moments(X[train, f])[1]) for f in members)
    models = {}
    for code in sorted({codes[i] for i in train}):
        own = [i for i in train if codes[i] == code]
        models[code] = math.log(len(own) / len(train)), [(f, *moments(X[own, f])) for f in members]

    def scores(sample):
        found = {}
        for code, (total, features) in models.items():
            for f, center, variance in features if epsilon > 0 else ():
                spread = float(variance) + epsilon
                apart = float(Fraction(float(X[sample, f])) - center)
                total += -0.5 * math.log(2 * math.pi * spread) - 0.5 * apart * apart / spread
            found[code] = total
        return found

    return scores


def moments(values):
    exact = [Fraction(float(value)) for value in values]
    center = sum(exact) / len(exact)
    return center, sum((value - center) ** 2 for value in exact) / len(exact)


def multinomial(X, codes, train, members, alpha):
    """Return the function sample -> {class: score}."""
    models = {}
    for code in sorted({codes[i] for i in train}):
        own = [i for i in train if codes[i] == code]
        counts = [math.fsum(map(float, X[own, f])) for f in members]
        mass = math.fsum(counts) + alpha * len(members)
        models[code] = math.log(len(own) / len(train)), [math.log((count + alpha) / mass) for count in counts]

    def scores(sample):
        words = [float(X[sample, f]) for f in members]
        return {code: prior + sum(x * log for x, log in zip(words, logs)) for code, (prior, logs) in models.items()}

    return scores


def value_range(model, X, codes, members, n_folds, smoothing):
    """The least and the greatest mean of fold accuracies, whichever way near ties go."""
    fold_of = folds_of(codes, n_folds)
    low, high = [], []
    for fold in range(n_folds):
        test = [i for i in range(len(codes)) if fold_of[i] == fold]
        train = [i for i in range(len(codes)) if fold_of[i] != fold]
        sure, possible = counted(model, X, codes, train, test, members, smoothing)
        low.append(sure / len(test) if test else 0.0)
        high.append(possible / len(test) if test else 0.0)
    return sum(low) / n_folds, sum(high) / n_folds


def loss(scores, own, kind, n_classes, coldness=1.0):
    """Log loss or Brier score of one sample, straight from the probabilities of {class: score}."""
    top = max(scores.values(), default=0.0)
    parts = {code: math.exp((score - top) * coldness) for code, score in scores.items()}
    shares = {code: part / math.fsum(parts.values()) for code, part in parts.items()}
    if kind == "log_loss":
        return -math.log(max(shares.get(own, 0.0), 2.0**-52))
    missed = (1.0 - shares.get(own, 0.0)) ** 2 + sum(share**2 for code, share in shares.items() if code != own)
    return missed / 2 if n_classes == 2 else missed


def smooth_value(model, X, codes, members, n_folds, smoothing, kind, tempering=0.0):
    """Minus the mean over folds of the mean loss; an empty fold counts 0."""
    fold_of = folds_of(codes, n_folds)
    coldness, means = len(members) ** -tempering, []
    for fold in range(n_folds):
        test = [i for i in range(len(codes)) if fold_of[i] == fold]
        train = [i for i in range(len(codes)) if fold_of[i] != fold]
        score = model(X, codes, train, members, smoothing) if train else lambda sample: {}
        losses = [loss(score(i), codes[i], kind, len(set(codes)), coldness) for i in test]
        means.append(math.fsum(losses) / len(test) if test else 0.0)
    return -math.fsum(means) / n_folds


def gaussian_left_out(X, codes, members, var_smoothing, kind):
    """Minus the mean loss of leave-one-out; epsilon comes from all samples."""
    everything = range(len(codes))
    epsilon = var_smoothing * max(float(moments(X[list(everything), f])[1]) for f in members)
    losses = []
    for i in everything:
        train = [j for j in everything if j != i]
        score = gaussian(X, codes, train, members, var_smoothing, epsilon)
        losses.append(loss(score(i), codes[i], kind, len(set(codes))))
    return -math.fsum(losses) / len(losses)


def counted(model, X, codes, train, test, members, smoothing):
    """How many test samples are surely, and how many possibly, classified correctly."""
    sure = possible = 0
    score = model(X, codes, train, members, smoothing) if train else lambda sample: {}
    for i in test:
        scores = score(i)
        if codes[i] not in scores:
            continue
        others = [value for code, value in scores.items() if code != codes[i]]
        slack = TIED * (1 + max(map(abs, scores.values())))
        lead = scores[codes[i]] - max(others, default=-math.inf)
        sure += lead > slack
        possible += lead >= -slack
    return sure, possible


def counts_cases(seed: int = 0) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name -> (counts, labels)."""
    rng = np.random.default_rng(seed)
    shape = (36, 8)
    two, three = rng.permutation(np.arange(36) % 2), rng.permutation(np.arange(36) % 3)
    counts = rng.poisson(rng.gamma(0.6, 3.0, (3, 8))[three])
    lonely = np.zeros(36, dtype=int)
    lonely[[2, 5]] = [1, 2]
    rare = np.where(rng.random(shape) < 0.08, counts + 1, 0)
    twins = counts.copy()
    twins[:, 1::2] = twins[:, ::2]
    return {
        "counts": (counts, three),
        "binary": (np.minimum(counts, 1), two),
        "rare words": (rare, two),
        "a word never used": (counts * (np.arange(8) != 4), three),
        "the same words twice": (twins, three),
        "constant columns": (np.where(np.arange(8) % 2, counts, 2), two),
        "duplicate rows of other classes": (np.vstack([counts[:18], counts[:18]]), np.arange(36) // 18),
        "classes of one sample": (counts, lonely),
        "many classes": (counts, np.arange(36) // 2),
        "fractions": (rng.random(shape), three),
        "thirds": (counts / 3, two),
        "large counts": (counts * 10**9, three),
        "mixed scales": (rng.random(shape) * 10.0 ** np.linspace(8, -8, 8), two),
        "one feature": (counts[:, :1] + np.arange(36)[:, None] % 2, two),
        "bytes": (counts.astype(np.uint8), three),
    }
