"""`sweepless.criteria` exports every public criterion, with its type, and its examples are true."""

from __future__ import annotations

import doctest
import inspect

import pytest

from sweepless import criteria


@pytest.mark.parametrize("name", criteria.__all__)
def test_examples_are_true(name):
    public = getattr(criteria, name)
    [found] = [test for test in doctest.DocTestFinder(recurse=False).find(public, name) if test.examples]
    assert doctest.DocTestRunner().run(found).failed == 0
    assert "Parameters" in inspect.getdoc(public) or name == "Criterion"


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match=r"module 'sweepless.criteria' has no attribute 'KMeans'"):
        criteria.KMeans  # noqa: B018
