"""Reuters-21578: which documents are kept, which terms are counted, and what the cache does."""

from __future__ import annotations

import gzip
import os
import sys
import warnings

import numpy as np
import pytest

from sweepless.data import load
from sweepless.errors import CacheWarning, DataError, InputError
from sweepless.paper import find_data_dir, read_reuters
from sweepless.paper.reuters import FILES, _selected, read_documents
from sweepless.paper.terms import STOP_WORDS, count_terms
from tests.promised import missing

snowballstemmer = pytest.importorskip("snowballstemmer", reason="install sweepless[text]")

NORMAL = "<TEXT>&#2;\n<TITLE>{0}</TITLE>\n<DATELINE> HERE - </DATELINE><BODY>{1}\n&#3;</BODY></TEXT>"
BRIEF = '<TEXT TYPE="BRIEF">&#2;\n<TITLE>{0}</TITLE>\n{1}</TEXT>'
UNKNOWN = '<TEXT TYPE="UNPROC">&#2;\n{0}\n{1}</TEXT>'


def story(topics="grain", split="TRAIN", has="YES", title="", body="", text=NORMAL):
    listed = "".join(f"<D>{topic}</D>" for topic in topics.split())
    return (
        f'<REUTERS TOPICS="{has}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="2">\n'
        f"<DATE>26-FEB-1987</DATE>\n<TOPICS>{listed}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n"
        f"{text.format(title, body)}\n</REUTERS>\n"
    )


STORIES = [
    story(title="Wheat &amp; CORN", body="The farmers' wheat, 1987 wheats; farming"),
    story(split="TEST", title="Corn up", body="corn &lt;CRN> at a farm"),
    story("acq", title="Shares bought", body="caf\xe9 shares and the sharing", text=BRIEF),
    story("acq", title="buy", body="share", text=UNKNOWN),
    story("ship", title="wheat ship"),
    story("grain acq", title="two topics zebra zebra"),
    story("", title="no topics zebra"),
    story(split="NOT-USED", title="zebra"),
    story(has="NO", title="denied zebra"),
]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "sweepless"


@pytest.fixture
def files(tmp_path):
    """Two files, one of them packed."""
    plain, packed = tmp_path / "reut2-000.sgm", tmp_path / "reut2-001.sgm.gz"
    head = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
    plain.write_bytes((head + "".join(STORIES[:4])).encode("latin-1"))
    packed.write_bytes(gzip.compress((head + "".join(STORIES[4:])).encode("latin-1")))
    return [plain, packed]


def test_documents(files):
    documents = read_documents(files)
    assert len(documents) == len(STORIES)
    assert documents[0].title == "Wheat & CORN" and documents[0].body.startswith("The farmers' wheat")
    assert [document.kind for document in documents[:4]] == ["NORM", "NORM", "BRIEF", "UNPROC"]
    assert documents[5].topics == ("grain", "acq") and documents[6].topics == ()
    assert documents[7].attributes["LEWISSPLIT"] == "NOT-USED"
    assert documents[2].text == "Shares bought\n" and "share" in documents[3].text
    assert "HERE" not in documents[0].text


def test_counts(files):
    data = read_reuters(files, n_topics=2)
    assert data.classes.tolist() == ["acq", "grain"]  # as frequent as each other
    assert data.y.tolist() == ["grain", "grain", "acq", "acq"]
    assert data.feature_names == ("corn", "farm", "share")
    assert data.X.format == "csc" and data.X.dtype == np.int32
    # What stands beside the title of a brief story is filler, and no word of it is counted.
    assert data.X.toarray().tolist() == [[1, 1, 0], [2, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert data.name == "reuters"


def test_all_topics_and_all_terms(files):
    data = read_reuters(files, min_documents=1)
    assert data.classes.tolist() == ["acq", "grain", "ship"]
    assert {"wheat", "farmer", "bought", "bui", "crn"} <= set(data.feature_names)
    assert not {"the", "at", "zebra", "here", "caf"} & set(data.feature_names)
    assert data.X.sum(axis=0)[0, data.feature_names.index("wheat")] == 4


def test_topics_although_the_attribute_denies_them(files):
    data = read_reuters(files, n_topics=2, topics_attribute="any")
    assert data.y.tolist() == ["grain", "grain", "acq", "acq", "grain"]
    assert data.classes.tolist() == ["grain", "acq"]  # the most frequent first


def test_words():
    counts, terms = count_terms(["The RUNNING runner's x2y " + "y" * 100_000, "runs ran hopeful", "run"], 1)
    assert terms == ["hope", "ran", "run", "runner"]
    assert counts.toarray().tolist() == [[0, 0, 1, 1], [1, 1, 1, 0], [0, 0, 1, 0]]
    assert all(word == word.lower() and word.isalpha() for word in STOP_WORDS)


def test_what_was_counted_once_is_kept(files, cache, monkeypatch):
    first = read_reuters(files)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)  # nothing is counted again
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = read_reuters(files)
    assert (again.X != first.X).nnz == 0 and again.feature_names == first.feature_names
    assert again.y.tolist() == first.y.tolist() and again.classes.tolist() == first.classes.tolist()
    for other in ({"n_topics": 2}, {"min_documents": 1}, {"topics_attribute": "any"}):
        with pytest.raises(DataError, match=r"snowballstemmer; install sweepless\[text\]"):
            read_reuters(files, **other)
    files[0].write_bytes(files[0].read_bytes() + b"\n")
    with pytest.raises(DataError, match="snowballstemmer"):
        read_reuters(files)


@pytest.mark.parametrize("damage", ["cut", "other bytes", "empty", "another archive", "wrong indices"])
def test_a_damaged_cache_is_made_again(files, cache, damage):
    first = read_reuters(files)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    if damage in ("another archive", "wrong indices"):
        arrays = dict(np.load(kept))
        if damage == "another archive":
            del arrays["codes"]
        else:
            arrays["indices"] = arrays["indices"] + 1000
        np.savez(kept, **arrays)
    else:
        spoilt = bytearray(whole)
        spoilt[100] ^= 255
        kept.write_bytes({"cut": whole[:-100], "other bytes": bytes(spoilt), "empty": b""}[damage])
    with pytest.warns(CacheWarning, match=f"{kept.name} must be as it was written, got: .*; it is made again"):
        again = read_reuters(files)
    assert (again.X != first.X).nnz == 0
    assert kept.read_bytes() == whole and len(list(cache.iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="rights of directories are another matter there")
def test_a_cache_that_cannot_be_written_is_no_error(files, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_reuters(files).n_samples == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<LEWIS></LEWIS>", "line 1: an element must be REUTERS, got LEWIS"),
        ("<!DOCTYPE lewis>\n", "reut2-000.sgm must hold elements REUTERS, got none"),
        (STORIES[0] + STORIES[1][:-12], "line 10: <REUTERS> must be closed"),
        (STORIES[0].replace("LEWISSPLIT", "SPLIT"), "line 1: REUTERS must have the attribute LEWISSPLIT, got TOPICS, "),
        (STORIES[0].replace("TOPICS>", "TOPIC>"), "line 1: REUTERS must hold one element TOPICS, got 0"),
        (STORIES[0].replace("</DATE>", "</DATE><TEXT></TEXT>"), "line 1: REUTERS must hold one element TEXT, got 2"),
        (STORIES[6], "documents for training or test with exactly one topic, got none"),
        (STORIES[0], "some term must stand in at least 2 documents, got none"),
    ],
)
def test_broken_files(tmp_path, cache, text, message):
    path = tmp_path / "reut2-000.sgm"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=message):
        read_reuters([path])
    assert not cache.exists()


def test_bad_arguments(files):
    with pytest.raises(InputError, match="`n_topics` must be an integer of at least 2, got 1"):
        read_reuters(files, n_topics=1)
    with pytest.raises(InputError, match="`min_documents` must be an integer of at least 1, got 0"):
        read_reuters(files, min_documents=0)
    with pytest.raises(InputError, match="`topics_attribute` must be one of yes, any, got 'no'"):
        read_reuters(files, topics_attribute="no")
    with pytest.raises(DataError, match="must be an existing file"):
        read_reuters([files[0].with_name("none.sgm")])


def test_by_name(tmp_path):
    directory = tmp_path / "reuters21578"
    directory.mkdir()
    for number, file in enumerate(FILES):
        text = "<!DOCTYPE lewis>\n" + story(("acq", "grain")[number % 2], title="wheat shares")
        if number % 2:
            (directory / file).write_bytes(text.encode())
        else:
            (directory / f"{file}.gz").write_bytes(gzip.compress(text.encode()))
    assert find_data_dir("reuters", tmp_path) == directory == find_data_dir("reuters", directory)
    data = load("reuters", data_dir=tmp_path)
    assert data.X.shape == (22, 2) and data.class_sizes.tolist() == [11, 11]
    with pytest.raises(InputError, match="`row_order` must be auto or file for reuters, got 'paper'"):
        load("reuters", data_dir=tmp_path, row_order="paper")
    (directory / FILES[-1]).unlink()
    with pytest.raises(DataError, match=r"reuters needs reut2-000.sgm to reut2-021.sgm, gzipped or not, got no such"):
        load("reuters", data_dir=tmp_path)


@pytest.mark.paper
def test_the_real_distribution(data_dir):
    try:
        directory = find_data_dir("reuters", data_dir)
    except DataError as error:
        missing("SWEEPLESS_REQUIRE_DATA", str(error))
    documents = read_documents(sorted(directory.glob("*.sgm*")))
    assert [document.attributes["NEWID"] for document in documents] == [str(k + 1) for k in range(21_578)]
    split = [d.attributes["LEWISSPLIT"] for d in documents if d.attributes["TOPICS"] == "YES"]
    assert (split.count("TRAIN"), split.count("TEST")) == (9603, 3299)  # ModApté, as it is known
    assert len({topic for document in documents for topic in document.topics}) == 120

    data = load("reuters", data_dir=data_dir)
    assert data.X.shape == (8936, 10_073) and data.X.nnz == 367_873
    assert dict(zip(data.classes[:3].tolist(), data.class_sizes.tolist())) == {"earn": 3923, "acq": 2292, "crude": 374}
    assert data.class_sizes[-1] == 18 and len(data.classes) == 33
    assert len(_selected(documents, 33, "any")) == 8941  # as many as the paper has
