"""The svmlight / libsvm text format, through scikit-learn."""

from __future__ import annotations

import io

from sweepless.data._files import MAX_FEATURES, PathLike, build_dataset, read_bytes
from sweepless.data._numbers import whole_if_possible
from sweepless.dataset import Dataset
from sweepless.errors import DataError


def read_svmlight(path: PathLike) -> Dataset:
    """Read a svmlight / libsvm file.

    Parameters
    ----------
    path : path-like
        Lines `label index:value …`, possibly gzipped. Indices start at 1, or at 0 if a 0 occurs.

    Returns
    -------
    Dataset
        With compressed columns; labels are integers if all of them are whole.
    """
    # The one place of this room that needs scikit-learn; importing it costs a second.
    from sklearn.datasets import load_svmlight_file

    content = read_bytes(path)
    try:
        X, y = load_svmlight_file(io.BytesIO(content))
    except Exception as error:  # whatever scikit-learn makes of bytes that are no svmlight
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        raise DataError(f"{path} must be lines of `label index:value …`, got: {reason}.") from error
    if X.shape[1] > MAX_FEATURES:
        raise DataError(f"{path} must have at most {MAX_FEATURES} features, got index {X.shape[1]}.")
    return build_dataset(path, X, whole_if_possible(y))
