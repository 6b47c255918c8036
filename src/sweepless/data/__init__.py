"""Data from files, synthetic data, and features scaled to [0, 1]; nothing is ever downloaded.

`load` reads a file of any known format, or a data set by its name; `register` adds formats and names.
"""

from sweepless.data.arff import read_arff
from sweepless.data.delimited import read_delimited
from sweepless.data.npz import read_npz
from sweepless.data.parquet import read_parquet
from sweepless.data.scaling import Scaler01
from sweepless.data.sources import load, register
from sweepless.data.svmlight import read_svmlight
from sweepless.data.synthetic import make_madelon

__all__ = [
    "Scaler01",
    "load",
    "make_madelon",
    "read_arff",
    "read_delimited",
    "read_npz",
    "read_parquet",
    "read_svmlight",
    "register",
]
