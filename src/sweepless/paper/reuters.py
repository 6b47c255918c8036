"""Reuters-21578, Distribution 1.0: from the SGML files to counts of terms in documents of one topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse

from sweepless._checks import one_of, whole
from sweepless._typing import AnyArray
from sweepless.data.files import PathLike, existing_file
from sweepless.dataset import Dataset
from sweepless.errors import DataError
from sweepless.paper.cache import cached, key_of
from sweepless.paper.sgml import Element, read_sgml
from sweepless.paper.terms import VERSION, count_terms, require_stemmer

FILES = tuple(f"reut2-{number:03}.sgm" for number in range(22))
"""The files of the distribution, each plain or gzipped."""

_SPLITS = ("TRAIN", "TEST")
_MEMBERS = {"data", "indices", "indptr", "shape", "codes", "classes", "terms"}


@dataclass(frozen=True)
class Document:
    """One news story.

    Attributes
    ----------
    attributes : mapping
        Of the element REUTERS: TOPICS, LEWISSPLIT, CGISPLIT, OLDID, NEWID …
    topics : tuple of str
    kind : str
        NORM, BRIEF (a title only) or UNPROC (of unknown structure).
    title, body : str
        Empty where the story has none.
    text : str
        Title and body; all there is if the story has neither.
    """

    attributes: Mapping[str, str]
    topics: tuple[str, ...]
    kind: str
    title: str
    body: str
    text: str


def read_documents(paths: Iterable[PathLike]) -> list[Document]:
    """Read the stories of some files of the distribution.

    Parameters
    ----------
    paths : iterable of path-like

    Returns
    -------
    list of Document
        In the order of the files.
    """
    documents: list[Document] = []
    for path in paths:
        before = len(documents)
        for element in read_sgml(path):
            if element.name != "REUTERS":
                raise DataError(f"{path}, line {element.line}: an element must be REUTERS, got {element.name[:30]}.")
            documents.append(_document(path, element))
        if len(documents) == before:
            raise DataError(f"{path} must hold elements REUTERS, got none.")
    return documents


def read_reuters(
    paths: Sequence[PathLike],
    *,
    n_topics: int = 33,
    min_documents: int = 2,
    topics_attribute: Literal["yes", "any"] = "yes",
) -> Dataset:
    """Count the terms of the stories of one topic; what was counted once is kept in the user's cache.

    Parameters
    ----------
    paths : sequence of path-like
        Files of the distribution.
    n_topics : int
        How many topics, the most frequent ones, to keep the stories of.
    min_documents : int
        How many of these stories a term must stand in.
    topics_attribute : {"yes", "any"}
        Keep the stories of the ModApté split, whose attribute TOPICS is YES, or also those which have a topic
        although the attribute denies it.

    Returns
    -------
    Dataset
        Stories in the order of the files, with counts as compressed columns, terms in alphabetical order as
        feature names and topics as classes, the most frequent first.
    """
    whole("n_topics", n_topics, 2)
    whole("min_documents", min_documents, 1)
    one_of("topics_attribute", topics_attribute, ("yes", "any"))
    files = [existing_file(path) for path in paths]

    def count() -> dict[str, AnyArray]:
        require_stemmer()  # before the stories are read
        return _counted(_selected(read_documents(files), n_topics, topics_attribute), min_documents)

    key = key_of(files, VERSION, n_topics, min_documents, topics_attribute)
    return cached(f"reuters-{key}", count, _dataset)


def _document(path: PathLike, element: Element) -> Document:
    where = f"{path}, line {element.line}"
    for name in ("LEWISSPLIT", "TOPICS"):
        if name not in element.attributes:
            raise DataError(f"{where}: REUTERS must have the attribute {name}, got {', '.join(element.attributes)}.")
    parts: dict[str, Element] = {}
    for name in ("TOPICS", "TEXT"):
        found = element.children(name)
        if len(found) != 1:
            raise DataError(f"{where}: REUTERS must hold one element {name}, got {len(found)}.")
        parts[name] = found[0]
    text = parts["TEXT"]
    title, body = ("\n".join(part.text() for part in text.children(name)) for name in ("TITLE", "BODY"))
    return Document(
        attributes=element.attributes,
        topics=tuple(topic.text().strip() for topic in parts["TOPICS"].children("D")),
        kind=text.attributes.get("TYPE", "NORM"),
        title=title,
        body=body,
        text=f"{title}\n{body}" if title or body else text.text(),
    )


def _selected(documents: list[Document], n_topics: int, topics_attribute: str) -> list[Document]:
    """Keep the documents of the split that have exactly one topic, of the most frequent topics."""
    single = [
        document
        for document in documents
        if document.attributes["LEWISSPLIT"].upper() in _SPLITS
        and (topics_attribute == "any" or document.attributes["TOPICS"].upper() == "YES")
        and len(document.topics) == 1
    ]
    frequent = _by_frequency(single)[:n_topics]
    return [document for document in single if document.topics[0] in frequent]


def _by_frequency(documents: list[Document]) -> list[str]:
    """Return the topics, those of most documents first, equally frequent ones in alphabetical order."""
    frequency = Counter(document.topics[0] for document in documents)
    return sorted(frequency, key=lambda topic: (-frequency[topic], topic))


def _counted(documents: list[Document], min_documents: int) -> dict[str, AnyArray]:
    """Count terms, in arrays that a file can keep."""
    if not documents:
        raise DataError("the files must hold documents for training or test with exactly one topic, got none.")
    counts, terms = count_terms((document.text for document in documents), min_documents)
    if not terms:
        raise DataError(f"some term must stand in at least {min_documents} documents, got none.")
    classes = _by_frequency(documents)
    number = {topic: code for code, topic in enumerate(classes)}
    return {
        "data": counts.data,
        "indices": counts.indices,
        "indptr": counts.indptr,
        "shape": np.array(counts.shape),
        "codes": np.array([number[document.topics[0]] for document in documents]),
        "classes": np.array(classes),
        "terms": np.array(terms),
    }


def _dataset(arrays: Mapping[str, AnyArray]) -> Dataset:
    if not arrays.keys() >= _MEMBERS:
        raise DataError(f"the arrays must be {', '.join(sorted(_MEMBERS))}, got {', '.join(arrays)}.")
    matrix: Any = sparse.csc_matrix(
        (arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"].tolist())
    )
    matrix.check_format(full_check=True)
    classes = arrays["classes"]
    return Dataset(
        matrix,
        classes[arrays["codes"]],
        feature_names=arrays["terms"].tolist(),
        classes=classes.tolist(),
        name="reuters",
    )
