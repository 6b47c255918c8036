"""Every reader gives a result or one sentence, whatever bytes it gets; `fuzz/run.py` tries a million of them."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

mutator = pytest.importorskip("mutator")
readers = pytest.importorskip("readers")

CASES = Path(__file__).resolve().parent / "cases"
READERS = readers.READERS
SLOW = {"journal": 30, "journal_records": 30}
kept = sorted(CASES.glob("*/*"))


def seeds(name: str) -> list[bytes]:
    return [file.read_bytes() for file in sorted((readers.CORPUS / name).iterdir())]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_what_fuzzing_starts_from_is_valid(name, tmp_path):
    outcomes = {readers.check(READERS[name], content, tmp_path) for content in seeds(name)}
    assert outcomes == {"read"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", kept, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_what_was_found_once_stays_mended(case, tmp_path):
    assert readers.check(READERS[case.parent.name], case.read_bytes(), tmp_path) == "refused"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_changed_files_are_read_or_refused(name, tmp_path):
    given, rng = seeds(name), random.Random(len(name))
    outcomes = []
    for _ in range(SLOW.get(name, 100)):
        content = mutator.mutated(rng.choice(given), rng.choice(given), READERS[name].words, rng, 8192)
        outcomes.append(readers.check(READERS[name], content, tmp_path))
    assert "refused" in outcomes


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
@given(content=st.binary(min_size=1, max_size=300) | st.text(max_size=200).map(lambda text: text.encode() + b"\n"))
def test_any_bytes_are_read_or_refused(name, content, tmp_path):
    assert readers.check(READERS[name], content, tmp_path) in ("read", "refused")


def test_the_check_itself_finds_what_it_looks_for(tmp_path):
    def crashes(path):
        raise KeyError(path)

    def warns(path):
        np.array([1.0]) / np.array([0.0])

    def rambles(path):
        raise readers.SweeplessError("something is wrong")

    for read, error in ((crashes, KeyError), (warns, RuntimeWarning), (rambles, readers.Finding)):
        with pytest.raises(error):
            readers.check(readers.Reader("x.txt", read), b"1", tmp_path)


# Small files that would take a long time, or much memory


def arff(data: str) -> bytes:
    return f"@relation r\n@attribute a numeric\n@attribute class {{x,y}}\n@data\n{data}\n".encode()


N = 200_000
LONG = {
    "escaped quotes": ("arff", arff("'" + r"\'" * N + ",x")),
    "escaped quotes before a comment": ("arff", arff("1,x " + r"\'" * N + "%")),
    "blanks in an entry": ("arff", arff("{0 1" + " " * N + "2, 1 x}")),
    "many classes": ("arff", b"@relation r\n" + b"@attribute class {x}\n" * 20_000 + b"@data\nx\n"),
    "one quote": ("delimited", b'1,"' + b"a" * N + b"\n"),
    "quotes": ("delimited", b'"' * N + b",1\n"),
    "long number": ("delimited", b"1" * N + b",1\n"),
    "long label": ("delimited", b"1," + b"1" * 100_000 + b"\n2,3\n"),
    "blanks": ("svmlight", b"1" + b" " * N + b"x"),
    "colons": ("svmlight", b"1 " + b"1:" * N),
    "long header": ("trn", b"#datafile\n#features 2\n#classes " + b"1 " * N + b"\n"),
    "middle of two floats": ("arff", arff("16777217." + "0" * 5000 + ",x")),
    "tags": ("sgml", b"<A " * N),
    "attributes": ("sgml", b"<A " + b"a=b " * N),
    "depth": ("sgml", b"<A>" * N),
    "tables": ("spec", b"a" + b".a" * 50_000 + b" = 1"),
    "arrays": ("spec", b"a = " + b"[" * 50_000),
    "objects": ("journal_records", b'{"n":0,"kind":"header","a":' + b"[" * N),
}


@pytest.mark.parametrize("case", LONG)
def test_no_small_file_takes_long(case, tmp_path):
    name, content = LONG[case]
    outcome = readers.check(READERS[name], content, tmp_path)  # which measures
    assert outcome == ("read" if case in ("middle of two floats", "long label") else "refused")


def npy(dtype: str, shape: str, held: bytes = b"") -> bytes:
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + held


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def gzip_bomb(n_bytes: int) -> bytes:
    """A gzip file of a thousandth of what it unpacks to; its members repeat."""
    return gzip.compress(b"1,2\n" * (1 << 20)) * (n_bytes >> 22)


def saved(array: object) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array))
    return buffer.getvalue()


BOMBS = {
    "declared cells": ("npz", zipped(X=npy("<f8", "(100000, 10000000)"), y=saved([0, 1]))),
    "declared letters": ("npz", zipped(X=npy("<f8", "(1, 1)", b"\0" * 8), y=npy("<U1000000000", "(1,)"))),
    "declared array": ("npy", npy("<f8", "(1000000000000,)")),
    "negative array": ("npy", npy("<f8", "(-1,)")),
    "columns of a coordinate matrix": (
        "npz_sparse",
        zipped(
            format=saved(b"coo"), shape=saved([3, 10**9]), data=saved([1.0]), row=saved([0]), col=saved([10**9 - 1])
        ),
    ),
    "columns of svmlight": ("svmlight", b"1 99999999:1\n"),
    "declared features": ("trn", b"#datafile\n#features 999999999999\n#classes 1 999999999999\n1\n"),
    "warm-up on record": ("journal_records", b'{"n":0,"kind":"header","format":4,"settings":{"method":"sSFFS"}}'),
}


@pytest.mark.parametrize("case", BOMBS)
def test_no_memory_is_taken_for_what_is_only_declared(case, tmp_path):
    import tracemalloc

    name, content = BOMBS[case]
    tracemalloc.start()
    try:
        assert readers.check(READERS[name], content, tmp_path) == "refused"
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def test_gzip_and_zip_are_not_unpacked_beyond_their_limit(tmp_path, monkeypatch):
    from sweepless.data import files, read_delimited, read_npz
    from sweepless.errors import DataError

    monkeypatch.setattr(files, "_FREE_BYTES", 1 << 23)
    monkeypatch.setattr(files, "_DENSEST", 10)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip_bomb(1 << 26))
    with pytest.raises(DataError, match=r"bomb.csv.gz must hold at most 8388608 bytes, got more"):
        read_delimited(path)
    path = tmp_path / "bomb.npz"
    path.write_bytes(zipped(X=saved(np.zeros((1 << 12, 1 << 10))), y=saved(np.zeros(1 << 12))))
    with pytest.raises(DataError, match=r"bomb.npz must unpack to at most 8388608 bytes, got 33587"):
        read_npz(path)


def test_a_torn_gzip_is_an_error(tmp_path):
    content = gzip.compress(b"1,2\n3,4\n")
    for place in range(1, len(content), 3):
        assert readers.check(READERS["delimited"], content[:place], tmp_path) == "refused"
    damaged = bytearray(content)
    damaged[-6] ^= 1  # of its checksum
    assert readers.check(READERS["delimited"], bytes(damaged), tmp_path) == "refused"
    assert zlib.crc32(content) != zlib.crc32(damaged)
