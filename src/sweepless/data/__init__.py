"""Readers for common formats, the benchmark sets, synthetic data and scaling; no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sweepless.data._files import PathLike, existing_file, split_name
from sweepless.data.arff import read_arff
from sweepless.data.delimited import read_delimited
from sweepless.data.npz import read_npz
from sweepless.data.parquet import read_parquet
from sweepless.data.scaling import Scaler01
from sweepless.data.svmlight import read_svmlight
from sweepless.data.synthetic import make_madelon
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError
from sweepless.paper.named_sets import NAMES, check_row_order, find_data_dir, load_named
from sweepless.paper.reuters_files import read_reuters
from sweepless.paper.sgml import read_sgml
from sweepless.paper.trn import read_trn

__all__ = [
    "Scaler01",
    "find_data_dir",
    "load",
    "load_named",
    "make_madelon",
    "read_arff",
    "read_delimited",
    "read_npz",
    "read_parquet",
    "read_reuters",
    "read_sgml",
    "read_svmlight",
    "read_trn",
]

_TABLES: dict[str, Callable[..., Dataset]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".txt": read_delimited,
    ".parquet": read_parquet,
    ".pq": read_parquet,
}
_LABELLED: dict[str, Callable[..., Dataset]] = _TABLES | {".arff": read_arff}
_PLAIN: dict[str, Callable[..., Dataset]] = {
    ".npz": read_npz,
    ".trn": read_trn,
    ".svm": read_svmlight,
    ".svmlight": read_svmlight,
    ".libsvm": read_svmlight,
}
_SYNTHETIC = "make_madelon"


def load(
    source: PathLike,
    *,
    label: str | int | None = None,
    drop: Sequence[str | int] = (),
    data_dir: PathLike | None = None,
    row_order: str = "auto",
    seed: int = 0,
) -> Dataset:
    """Load a data set by its name or from a file.

    Parameters
    ----------
    source : str or path-like
        `"madelon"`, `"gisette"`, `"dorothea"`, `"reuters"`, `"make_madelon"`, or the path of a file
        whose extension tells its format: .csv, .tsv, .tab, .txt, .arff, .npz, .trn, .svm, .svmlight,
        .libsvm, each possibly followed by .gz, or .parquet, .pq (which need pyarrow).
    label : str or int, optional
        The label column, for CSV, TSV, Parquet and (by name only) ARFF.
    drop : sequence of str or int
        Columns of a CSV, TSV or Parquet file that are left out, by name or index.
    data_dir : path-like, optional
        Where the benchmark sets are; see `find_data_dir`.
    row_order : {"auto", "paper", "file"}
        The order of the samples of a benchmark set; see `load_named`.
    seed : int
        Seed of `make_madelon`.

    Returns
    -------
    Dataset
    """
    check_row_order(row_order)
    named = source in NAMES or source == _SYNTHETIC
    _, extension = split_name(Path(source))
    if label is not None and (named or extension in _PLAIN):
        raise InputError(f"`label` must be left out for {source}, whose labels are not a column, got {label!r}.")
    if drop and (named or extension not in _TABLES):
        raise InputError(f"`drop` must be left out for {source}, it is for CSV, TSV and Parquet, got {list(drop)}.")
    if source in NAMES:
        return load_named(str(source), data_dir=data_dir, row_order=row_order)
    if row_order == "paper":
        raise InputError(f"`row_order` 'paper' must go with one of {', '.join(NAMES)}, got {source}.")
    if source == _SYNTHETIC:
        return make_madelon(seed=seed)
    readers = _LABELLED | _PLAIN
    if extension not in readers and not Path(source).expanduser().exists():
        sets = ", ".join([*NAMES, _SYNTHETIC])
        raise DataError(f"`source` must be one of {sets}, or the path of a file, got {str(source)!r}.")
    file = existing_file(source)
    if extension not in readers:
        got = extension or "none"
        raise DataError(f"{file} must have one of the extensions {', '.join(readers)}, got {got}.")
    given = {"label": label} if label is not None else {}
    return readers[extension](file, **given, **({"drop": drop} if drop else {}))
