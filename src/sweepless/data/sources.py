"""Where data come from: every file format by its extension, every data set by its name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, TypeAlias

from sweepless._nearest import or_nearest
from sweepless.data.arff import read_arff
from sweepless.data.delimited import read_delimited
from sweepless.data.files import PathLike, existing_file, split_name
from sweepless.data.npz import read_npz
from sweepless.data.parquet import read_parquet
from sweepless.data.svmlight import read_svmlight
from sweepless.data.synthetic import make_madelon
from sweepless.dataset import Dataset
from sweepless.errors import DataError, InputError

Loader: TypeAlias = Callable[..., Dataset]

_READERS: dict[str, Loader] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".txt": read_delimited,
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".arff": read_arff,
    ".npz": read_npz,
    ".svm": read_svmlight,
    ".svmlight": read_svmlight,
    ".libsvm": read_svmlight,
}
_SETS: dict[str, Loader] = {"make_madelon": make_madelon}


def register(source: str, loader: Loader) -> None:
    """Let `load` know another data set, or another kind of file.

    Parameters
    ----------
    source : str
        The name of a data set, or an extension that begins with a dot.
    loader : callable
        Returns a `Dataset`. The loader of an extension gets the path of the file. What else `load` is given
        reaches the loader as keywords, if it has parameters of these names.
    """
    (_READERS if source.startswith(".") else _SETS)[source] = loader


def is_set(source: PathLike) -> bool:
    """Tell whether a source is the name of a known data set, so that it is not the path of a file."""
    return source in _SETS


def load(
    source: PathLike, *, label: str | int | None = None, drop: Sequence[str | int] = (), **options: Any
) -> Dataset:
    """Load a data set from a file, or by its name.

    Parameters
    ----------
    source : str or path-like
        The path of a file, whose extension says its format: .csv, .tsv, .tab, .txt, .arff, .npz, .svm, .svmlight
        or .libsvm, each possibly followed by .gz, or .parquet or .pq (which need pyarrow). Or the name of a data
        set: `"make_madelon"`, and after `import sweepless.paper` also `"madelon"`, `"gisette"`, `"dorothea"` and
        `"reuters"` (and files that end in .trn).
    label : str or int, optional
        The label column of a CSV, TSV, Parquet or (by name only) ARFF file.
    drop : sequence of str or int
        Columns of a CSV, TSV or Parquet file to leave out, by name or index.
    **options
        Any other keywords of the function that loads this source: those of `make_madelon`, for instance, or
        `data_dir` and `row_order` of the paper's data sets. None counts as not given.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sweepless import load
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("id,width,mass,kind\\n1,0.1,2.0,a\\n2,0.3,1.0,b\\n3,0.2,5.0,a\\n")
    >>> data = load(path, label="kind", drop=["id"])
    >>> data.feature_names, data.y.tolist()
    (('width', 'mass'), ['a', 'b', 'a'])
    """
    place = () if is_set(source) else (source,)
    loader = _reader(source) if place else _SETS[str(source)]
    options |= {"label": label, "drop": drop or None}
    given = {name: value for name, value in options.items() if value is not None}
    known = signature(loader).parameters
    for name, value in given.items():
        if name not in known:
            allowed = ", ".join(list(known)[len(place) :]) or "none"
            raise InputError(f"`{name}` must be left out for {source}, whose options are {allowed}, got {value!r}.")
    return loader(*place, **given)


def _reader(path: PathLike) -> Loader:
    """Find the reader of a file by its extension."""
    _, extension = split_name(Path(path))
    if extension not in _READERS and not Path(path).expanduser().exists():
        more, near = " (`import sweepless.paper` adds the paper's data sets)", "."
        if "sweepless.paper" in sys.modules:
            more, near = "", or_nearest(path, _SETS)
        raise DataError(
            f"`source` must be the path of a file, or one of {', '.join(_SETS)}{more}, got {str(path)!r}{near}"
        )
    if extension not in _READERS:
        file = existing_file(path)
        raise DataError(f"{file} must have one of the extensions {', '.join(_READERS)}, got {extension or 'none'}.")
    return _READERS[extension]
