"""Reading wide CSV files: sweepless beside polars and pyarrow, processor seconds of one thread, best of three."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "1"

import numpy as np
import polars
import pyarrow.csv

import sweepless as sw

SHAPES = ((100, 20_000), (2_000, 5_000))


def by_polars(path: Path) -> np.ndarray:
    return polars.read_csv(path)[:, :-1].to_numpy()


def by_pyarrow(path: Path) -> np.ndarray:
    options = pyarrow.csv.ReadOptions(use_threads=False, block_size=1 << 26)
    return np.column_stack([column.to_numpy() for column in pyarrow.csv.read_csv(path, options).columns[:-1]])


READERS: dict[str, Callable[[Path], np.ndarray]] = {
    "sweepless": lambda path: sw.load(path).X,
    "polars": by_polars,
    "pyarrow": by_pyarrow,
}


def write(path: Path, X: np.ndarray) -> None:
    with path.open("w") as file:
        file.write(",".join(f"f{k}" for k in range(X.shape[1])) + ",class\n")
        file.writelines(",".join(map(repr, row)) + f",{k % 2}\n" for k, row in enumerate(X.tolist()))


def main() -> None:
    for shape in SHAPES:
        X = np.random.default_rng(0).normal(size=shape)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            write(path, X)
            times: dict[str, list[float]] = {name: [] for name in READERS}
            for _ in range(3):  # in turns
                for name, read in READERS.items():
                    start = time.process_time()
                    found = read(path)
                    times[name].append(time.process_time() - start)
                    assert np.array_equal(found, X), name
        print(f"{shape[0]:,} x {shape[1]:,}", {name: round(min(taken), 2) for name, taken in times.items()})


if __name__ == "__main__":
    main()
