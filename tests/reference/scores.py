"""Scores by their definitions, sample by sample and pair by pair."""

from __future__ import annotations

import math

import numpy as np


def confusion(predicted, truth, n_classes):
    table = [[0] * n_classes for _ in range(n_classes)]
    for own, other in zip(truth, predicted, strict=True):
        table[own][other] += 1
    return table


def area(outputs, is_positive):
    """The share of pairs of a positive and a negative sample in which the positive one is higher; ties count half."""
    wins = [
        (high > low) + 0.5 * (high == low)
        for high, mine in zip(outputs, is_positive, strict=True)
        if mine
        for low, other in zip(outputs, is_positive, strict=True)
        if not other
    ]
    return sum(wins) / len(wins)


def average_precision(outputs, is_positive):
    """The mean over positive samples of the precision among all that are at least as high."""
    found = []
    for output, mine in zip(outputs, is_positive, strict=True):
        if mine:
            above = [other for value, other in zip(outputs, is_positive, strict=True) if value >= output]
            found.append(sum(above) / len(above))
    return sum(found) / len(found)


def top(outputs, truth, k):
    """The number of samples whose class is among the first k by (output, class), descending."""
    hits = 0
    for sample, own in enumerate(truth):
        ranked = sorted(((row[sample], code) for code, row in enumerate(outputs)), reverse=True)
        hits += own in [code for _, code in ranked[:k]]
    return hits


def log_loss(probabilities, truth):
    least = float(np.finfo(float).eps)
    return -sum(math.log(min(max(probabilities[own][i], least), 1.0 - least)) for i, own in enumerate(truth))


def logistic(x):
    return np.exp(-np.logaddexp(0.0, -x))


def brier(probabilities, truth):
    return sum((row[i] - (code == own)) ** 2 for i, own in enumerate(truth) for code, row in enumerate(probabilities))


def winners(outputs):
    """The first class with the greatest output; a single output stands for the second of two classes."""
    if len(outputs) == 1:
        return [int(value > 0.0) for value in outputs[0]]
    return [max(range(len(outputs)), key=lambda code: (outputs[code][i], -code)) for i in range(len(outputs[0]))]
