"""The svmlight / libsvm text format."""

from __future__ import annotations

import re
from array import array

import numpy as np
from scipy import sparse

from sweepless.data.files import PathLike, build_dataset, check_width, read_text
from sweepless.data.numbers import on_line, parse_numbers, whole_if_possible
from sweepless.dataset import Dataset
from sweepless.errors import DataError

_LINE = re.compile(r"(\S+)(?:\s+qid:\S*)?((?:\s+[0-9]{1,18}:[^\s:]+)*)")


def read_svmlight(path: PathLike) -> Dataset:
    """Read a svmlight / libsvm file.

    Parameters
    ----------
    path : path-like
        Lines `label index:value …` with ascending indices, possibly gzipped. Indices start at 1, or at 0 if a 0
        occurs. A `#` starts a comment; a query (`qid:3`) is passed over.

    Returns
    -------
    Dataset
        With compressed columns; labels are integers if all of them are whole.
    """
    labels, values, indices, starts = array("d"), array("d"), array("q"), array("q", [0])
    for line, raw in enumerate(read_text(path).split("\n"), start=1):
        text = raw.split("#", 1)[0].strip()
        if not text:
            continue
        match = _LINE.fullmatch(text)
        if match is None:
            raise DataError(f"{path}, line {line}: a line must be `label index:value …`, got {text[:60]!r}.")
        words = match[2].replace(":", " ").split()
        columns = np.array(words[::2], dtype=np.int64)
        if np.any(columns[1:] <= columns[:-1]):
            raise DataError(f"{path}, line {line}: indices must ascend, got {text[:60]!r}.")
        labels.append(parse_numbers([match[1]], lambda _, line=line: f"{path}, line {line}, label")[0])  # type: ignore[misc]
        numbers = parse_numbers(words[1::2], on_line(path, line, "entry"))
        indices.frombytes(columns.tobytes())
        values.frombytes(numbers.tobytes())
        starts.append(len(values))
    if not len(values):
        raise DataError(f"{path} must hold at least one sample with an entry, got {len(labels)} samples without.")
    columns = np.frombuffer(indices, dtype=np.int64)
    columns = columns - min(1, int(columns.min()))  # counted from 1, unless there is a 0
    n_features = int(columns.max()) + 1
    check_width(path, n_features, len(values))
    parts = (np.frombuffer(values), columns, np.frombuffer(starts, dtype=np.int64))
    matrix = sparse.csr_matrix(parts, shape=(len(labels), n_features))
    return build_dataset(path, matrix, whole_if_possible(np.array(labels)))
