"""`sweepless.criteria` exports every public criterion, with its parameters explained."""

from __future__ import annotations

import inspect

import pytest

from sweepless import criteria


@pytest.mark.parametrize("name", criteria.__all__)
def test_parameters_are_explained(name):
    assert "Parameters" in inspect.getdoc(getattr(criteria, name)) or name == "Criterion"


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match=r"module 'sweepless.criteria' has no attribute 'KMeans'"):
        criteria.KMeans  # noqa: B018
