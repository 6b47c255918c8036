"""Texts as counts of stemmed words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from sweepless._needs import require
from sweepless.errors import DataError

VERSION = 1
"""Raise this with every change of how terms are counted, so that cached counts are made again."""

_WORD = re.compile(r"[a-z]++")
_LETTERS = range(3, 65)  # how many a word may have; stemming a longer one might take long

# Words of grammar that stand in texts of any topic, and what contractions leave at an apostrophe.
STOP_WORDS = frozenset(
    """
    about above across after again against ain all almost along already also although always am among and another any
    anybody anyone anything are aren around because been before behind being below beneath beside besides between
    beyond both but can cannot could couldn did didn does doesn doing don done down during each either else enough
    even ever every everybody everyone everything except few for from further had hadn has hasn have haven having
    hence her here hers herself him himself his how however indeed inside instead into isn its itself just less
    may maybe might mightn mine more moreover most much must mustn myself near needn neither never nevertheless next
    nobody none nor not nothing now nowhere off often once one only onto other others otherwise ought our ours
    ourselves out outside over own per perhaps quite rather same shall shan she should shouldn since some somebody
    somehow someone something sometimes somewhere still such than that the their theirs them themselves then there
    therefore these they thing things this those though through throughout thus together too toward towards under
    unless until upon very was wasn were weren what whatever when whenever where whereas wherever whether which
    whichever while who whoever whole whom whose why will with within without won would wouldn yet you your yours
    yourself yourselves
    """.split()  # noqa: SIM905 - one quoted word after the other would be hard to read
)


def count_terms(texts: Iterable[str], min_documents: int) -> tuple[Any, list[str]]:
    """Count the stems of words that are no stop words, of those stems that stand in enough texts.

    Words are runs of three to 64 of the letters a to z, whatever their case.

    Returns
    -------
    counts : CSC matrix of int32, texts in rows
    terms : list of str
        The stems, in alphabetical order.
    """
    stem = _stemmer()
    known: dict[str, str | None] = {}  # every word is stemmed once
    rows = [Counter(_stems(text, stem, known)) for text in texts]
    frequency = Counter(term for row in rows for term in row)
    terms = sorted(term for term, count in frequency.items() if count >= min_documents)
    number = {term: column for column, term in enumerate(terms)}
    entries = [
        (row, number[term], count)
        for row, terms_of in enumerate(rows)
        for term, count in terms_of.items()
        if term in number
    ]
    row, column, count = np.array(entries, dtype=np.int32).reshape(-1, 3).T
    return sparse.csc_matrix((count, (row, column)), shape=(len(rows), len(terms))), terms


def _stems(text: str, stem: Callable[[str], str], known: dict[str, str | None]) -> Iterable[str]:
    for word in _WORD.findall(text.lower()):
        if word not in known:
            known[word] = stem(word) if len(word) in _LETTERS and word not in STOP_WORDS else None
        if term := known[word]:
            yield term


def require_stemmer() -> None:
    """Raise DataError unless terms can be counted."""
    require("stemming", DataError)


def _stemmer() -> Callable[[str], str]:
    require_stemmer()
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer("porter").stemWord
    return stem
