"""TRN: declared sizes, then all numbers class by class."""

from __future__ import annotations

import re
from array import array

import numpy as np

from sweepless.data.files import PathLike, build_dataset, read_text
from sweepless.data.numbers import on_line, parse_numbers
from sweepless.data.sources import register
from sweepless.dataset import Dataset
from sweepless.errors import DataError

_COUNT = re.compile(r"[0-9]{1,12}")


def read_trn(path: PathLike) -> Dataset:
    """Read a TRN file.

    Parameters
    ----------
    path : path-like
        A UTF-8 text, possibly gzipped: `#datafile`, optionally `#title`, then `#features D`,
        `#classes C s1,s2,…` and optionally `#data`, each at the start of a line; then the numbers,
        sample after sample and class after class. A semicolon starts a comment.

    Returns
    -------
    Dataset
        With the class labels 0..C-1.
    """
    declared: dict[str, list[int]] = {}
    values = array("d")
    started = opened = False
    for line, raw in enumerate(read_text(path).split("\n"), start=1):
        text = raw.split(";", 1)[0].strip()
        if not text:
            continue
        if not opened:
            if text.split()[0].lower() != "#datafile":
                raise DataError(f"{path}, line {line}: a TRN file must begin with #datafile, got {text[:30]!r}.")
            opened = True
        elif text.startswith("#"):
            if started:
                raise DataError(f"{path}, line {line}: the data must be numbers, got {text[:30]!r}.")
            started = _keyword(path, line, text, declared)
        else:
            started = True
            numbers = parse_numbers(text.split(), on_line(path, line, "value"))
            values.frombytes(numbers.tobytes())
    for keyword in ("#features", "#classes"):
        if keyword not in declared:
            raise DataError(f"{path} must declare {keyword}, got a file without it.")
    (n_features,), sizes = declared["#features"], declared["#classes"]
    n_samples = sum(sizes)
    if len(values) != n_samples * n_features:
        raise DataError(
            f"{path} must hold {n_samples * n_features} values "
            f"({n_samples} samples of {n_features} features), got {len(values)}."
        )
    matrix = np.frombuffer(values, dtype=np.float64).reshape(n_samples, n_features)
    labels = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    return build_dataset(path, matrix, labels, classes=range(len(sizes)))


def _keyword(path: PathLike, line: int, text: str, declared: dict[str, list[int]]) -> bool:
    """Note what a line declares; return whether the data begin after it."""
    keyword, *words = text.replace(",", " ").split()
    keyword = keyword.lower()
    if keyword in ("#title", "#data"):
        if keyword == "#data" and words:
            raise DataError(f"{path}, line {line}: #data must stand alone on its line, got {text[:30]!r}.")
        return keyword == "#data"
    if keyword not in ("#features", "#classes"):
        raise DataError(
            f"{path}, line {line}: a keyword must be #title, #features, #classes, #data, got {text[:30]!r}."
        )
    if keyword in declared:
        raise DataError(f"{path}, line {line}: {keyword} must be declared once, got it again.")
    counts = [int(word) for word in words if _COUNT.fullmatch(word)]
    if len(counts) != len(words) or not counts or min(counts) < 1:
        raise DataError(f"{path}, line {line}: {keyword} must be followed by positive integers, got {text[:60]!r}.")
    if keyword == "#features":
        if len(counts) != 1:
            raise DataError(f"{path}, line {line}: #features must be followed by one number, got {len(counts)}.")
        declared[keyword] = counts
    else:
        if len(counts) != counts[0] + 1:
            raise DataError(
                f"{path}, line {line}: #classes {counts[0]} must be followed by {counts[0]} class sizes, "
                f"got {len(counts) - 1}."
            )
        declared[keyword] = counts[1:]
    return False


register(".trn", read_trn)
