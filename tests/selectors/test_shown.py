"""Selectors and results in a notebook: the diagram of scikit-learn, the result below it, and nothing that breaks it."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn import config_context
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from sweepless import Dataset, SequentialSelector, make_madelon, run
from sweepless._notebook import as_html
from sweepless.criteria import KNN
from sweepless.selectors.progress import is_notebook, make_display

X = np.random.default_rng(0).normal(size=(40, 6))
Y = X[:, 2] > 0


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(re.search(r'<div class="sweepless">.*</div>', html, flags=re.DOTALL)[0])


def fitted() -> SequentialSelector:
    return SequentialSelector(GaussianNB(), n_features_to_select=2, cv=2, random_state=0).fit(X, Y)


def test_a_selector_is_shown_with_its_diagram_and_then_with_what_it_found():
    selector = SequentialSelector(GaussianNB(), n_features_to_select=2, cv=2, random_state=0)
    before = selector._repr_mimebundle_()["text/html"]
    assert "SequentialSelector" in before and 'class="sweepless"' not in before
    after = selector.fit(X, Y)._repr_mimebundle_()["text/html"]
    said = " ".join(parsed(after).itertext())
    assert said == " ".join(parsed(selector._repr_html_()).itertext())
    assert "2 of 6 features: " in said and f"{selector.best_score_:.6g}" in said and "x2" in said


def test_text_stays_text():
    with config_context(display="text"):
        assert set(fitted()._repr_mimebundle_()) == {"text/plain"}


def test_inside_a_pipeline_the_diagram_is_scikit_learns_own():
    assert 'class="sweepless"' not in make_pipeline(fitted(), GaussianNB())._repr_mimebundle_()["text/html"]


def test_a_result_is_shown_with_its_curve():
    result = run("SFS", KNN(), make_madelon(n_samples=60, n_features=25, n_redundant=5), target=4)
    shown = parsed(result._repr_html_())
    (line,) = shown.iter("polyline")
    assert len(line.get("points").split()) == len(result.archive) == 4
    (dot,) = shown.iter("circle")
    best = line.get("points").split()[sorted(result.archive).index(result.size)]
    assert f"{dot.get('cx')},{dot.get('cy')}" == best


def test_names_are_escaped():
    data = Dataset(X, Y, feature_names=["<script>", "a&b", '"c"', "d", "e", "f"])
    html = run("SFS", KNN(), data, target=6)._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "<script>" in "".join(parsed(html).itertext())


@pytest.mark.parametrize("values", [{}, {3: 0.5}, {1: 0.5, 2: 0.5}, {k: k % 7 for k in range(1, 5000)}])
def test_curves_of_any_length(values):
    html = as_html({"a": 1}, values, 3)
    shown = parsed(html)
    assert len(list(shown.iter("svg"))) == (len(values) > 1) and len(html) < 12_000
    assert "nan" not in html


class ZMQInteractiveShell:
    """What a kernel of a notebook calls itself."""


def test_progress_is_updated_below_the_cell_of_a_notebook(monkeypatch):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(("update", content))

    def display(content, raw, display_id):
        shown.append(("display", content))
        return Handle()

    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=ZMQInteractiveShell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    drawn = make_display()
    drawn.show("<SFS>", None)
    drawn.show("more", 0.5)
    drawn.stop()
    assert [how for how, _ in shown] == ["display", "update"]
    assert shown[0][1]["text/plain"] == "<SFS>" and "&lt;SFS&gt;" in shown[0][1]["text/html"]
    assert 'value="0.500"' in shown[1][1]["text/html"]


def test_elsewhere_there_is_no_cell(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not is_notebook()


def test_in_a_real_notebook():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    code = """
import time
from sweepless import SequentialSelector, make_madelon
from sweepless.criteria import KNN
data, slowly = make_madelon(n_samples=60, n_features=30), lambda progress: time.sleep(0.02)
SequentialSelector(KNN(), n_features_to_select=4, verbose=1, callbacks=slowly).fit(data.X, data.codes)
"""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(book, timeout=200).execute()
    progress, result = book.cells[0].outputs
    assert progress.output_type == "display_data" and "evaluations" in progress.data["text/plain"]
    assert 'class="sweepless"' in result.data["text/html"] and "4 of 30 features" in result.data["text/html"]
