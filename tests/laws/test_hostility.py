"""Hostile data: a right answer, equal to the definition, or one clear sentence."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB as ScikitNB

import sweepless as sw
from tests.laws.hostile import LABELS, NO_LABELS, SAME, STRANGE, UNUSABLE, X, Y

CRITERIA: dict[str, sw.criteria.Criterion] = {
    "k-NN": sw.criteria.KNN(),
    "k-NN on folds": sw.criteria.KNN(n_neighbors=3, folds=5),
    "k-NN by loss": sw.criteria.KNN(n_neighbors=3, score="log_loss"),
    "soft neighbors": sw.criteria.SoftNeighbors(),
    "multinomial": sw.criteria.MultinomialBhattacharyya(),
    "Gaussian naive Bayes": sw.criteria.GaussianNB(),
    "multinomial naive Bayes": sw.criteria.MultinomialNB(),
    "ridge": sw.criteria.RidgeCriterion(score="accuracy"),
    "ridge regression": sw.criteria.RidgeCriterion(),
    "SVM": sw.criteria.SVM(),
    "CFS": sw.criteria.CFS(),
    "Bhattacharyya": sw.criteria.GaussianBhattacharyya(),
    "Mahalanobis": sw.criteria.GeneralizedMahalanobis(),
    "divergence": sw.criteria.GaussianDivergence(),
    "Wilks' lambda": sw.criteria.WilksLambda(),
    "information": sw.criteria.InformationCriterion(),
}


def searched(
    criterion: sw.criteria.Criterion, data: sw.Dataset, n_features: int | None = None
) -> list[tuple[Any, ...]]:
    """Search, and hold every value against the definition."""
    options: dict[str, Any] = {"target": min(3, data.n_features), "budget": 3, "backward_budget": 3}
    result = sw.run("sSFFS", criterion, data, warm_up=sw.search.WarmUp(4, 1), **options)
    cursor = criterion.bind(data)
    for record in result.archive.values():
        assert np.isfinite(record.value)
        assert cursor.evaluate(record.features) == record.value
    cursor.jump([0])
    others = np.arange(1, data.n_features)
    assert cursor.peek(sw.Direction.ADD, others).tolist() == [cursor.evaluate([0, int(k)]) for k in others]
    return [(step.direction, step.features.tolist(), step.value) for step in result.trace]


def answer(criterion: sw.criteria.Criterion, X: Any, y: Any) -> list[tuple[Any, ...]] | str:
    """Return what was found, or the sentence; anything else, a warning too, fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return searched(criterion, sw.Dataset(X, y))
        except sw.errors.SweeplessError as error:
            sentence = str(error)
            assert sentence.endswith(".") and sentence.isprintable() and len(sentence) < 300
            return sentence


SPARED = {"SVM": 8, "Mahalanobis": 4, "divergence": 4}  # one is slow, the others differ from Bhattacharyya by a term


def some(name: str, cases: dict[str, Any]) -> dict[str, Any]:
    """Return all cases, or one in so many, as they are about the data, which are the same for every criterion."""
    return dict(list(cases.items())[:: SPARED.get(name, 1)])


@pytest.mark.parametrize("name", CRITERIA)
def test_the_form_of_the_numbers_does_not_matter(name):
    expected = answer(CRITERIA[name], X, Y)
    assert not isinstance(expected, str)
    forms = some(name, SAME)
    assert [form for form, matrix in forms.items() if answer(CRITERIA[name], matrix, Y) != expected] == []


@pytest.mark.parametrize("name", CRITERIA)
def test_strange_numbers_have_a_right_answer_or_a_sentence(name):
    forms = some(name, STRANGE) | {"duplicates": STRANGE["duplicate and constant columns"]}
    answers = {form: answer(CRITERIA[name], matrix, Y) for form, matrix in forms.items()}
    assert not isinstance(answers["duplicates"], str)


@pytest.mark.parametrize("name", ["k-NN", "ridge", "Bhattacharyya"])
def test_what_is_no_table_of_numbers_is_refused(name):
    answers = {form: answer(CRITERIA[name], matrix, Y) for form, matrix in UNUSABLE.items()}
    assert [form for form, found in answers.items() if not isinstance(found, str)] == []


@pytest.mark.parametrize("name", CRITERIA)
def test_labels_of_any_kind(name):
    labels = some(name, LABELS)
    answers = {kind: answer(CRITERIA[name], X, given) for kind, given in labels.items()}
    if name != "ridge regression":  # which takes labels for numbers
        expected = answer(CRITERIA[name], X, Y)
        same = answers.keys() & {"text", "objects", "booleans", "big-endian", "series", "uint64"}
        assert [kind for kind in same if answers[kind] != expected] == []
    refused = {kind: answer(CRITERIA[name], X, labels) for kind, labels in NO_LABELS.items()}
    assert [kind for kind, found in refused.items() if not isinstance(found, str)] == []


@pytest.mark.parametrize("name", CRITERIA)
def test_two_samples(name):
    answer(CRITERIA[name], X[:2], [0, 1])
    answer(CRITERIA[name], X[:2, :1], [0, 1])
    assert isinstance(answer(CRITERIA[name], X[:1], [0]), str)


@pytest.mark.parametrize("name", CRITERIA)
def test_one_sample_per_class(name):
    answer(CRITERIA[name], X[:7], np.arange(7))


@pytest.mark.parametrize("name", CRITERIA)
def test_two_features_and_empty_folds(name):
    answer(CRITERIA[name], X[:, :2], Y)
    if hasattr(CRITERIA[name], "folds") and name != "SVM":  # which is fitted thirty times for every subset
        for folds in (30, 31, np.zeros(30, dtype=int), np.where(Y, 0, 7)):
            try:
                criterion = replace(CRITERIA[name], folds=folds)
            except sw.errors.SweeplessError as error:
                assert str(error).endswith(".")
                continue
            answer(criterion, X, Y)


# Neighbors are of pairs of samples, multinomial distances of pairs of classes: of ten thousand, fifty million.
@pytest.mark.parametrize(
    ("name", "n_classes"), [("Gaussian naive Bayes", 3_000), ("k-NN", 3_000), ("multinomial", 1_000)]
)
def test_thousands_of_classes(name, n_classes):
    y = np.concatenate([np.arange(n_classes), np.arange(500)])
    data = sw.Dataset(np.random.default_rng(1).integers(0, 9, (len(y), 3)).astype(np.float64), y)
    cursor = CRITERIA[name].bind(data)
    cursor.jump([0])
    assert cursor.peek(sw.Direction.ADD, np.array([2]))[0] == cursor.evaluate([0, 2])


# Selectors: scikit-learn checks first, with sentences of its own

SCIKIT_LEARNS_TYPES = r"^(np\.matrix is not supported|Sparse data was passed for X, but dense data is required)"
ESTIMATORS: dict[str, Any] = {
    "default": None,
    "naive Bayes": ScikitNB(),
    "criterion": sw.criteria.KNN(),
}


def fitted(kind: type, estimator: Any, X: Any, y: Any) -> Any:
    """Fit a selector; return its support, or the first line of what it said."""
    options: dict[str, Any] = {"method": "sSFFS", "budget": 3, "backward_budget": 3}
    chosen = kind(
        estimator,
        n_features_to_select=2,
        cv=None if isinstance(estimator, sw.criteria.Criterion) else 2,
        random_state=0,
        **(options if kind is sw.SequentialSelector else {}),
    )
    try:
        return chosen.fit(X, y).get_support().tolist()
    except (ValueError, sw.errors.CriterionError) as error:
        assert str(error)
        return str(error)
    except TypeError as error:
        assert re.search(SCIKIT_LEARNS_TYPES, str(error)), error
        return str(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kind", [sw.SequentialSelector, sw.RankingSelector])
def test_selectors_find_the_same_in_every_form(kind, estimator):
    expected = fitted(kind, ESTIMATORS[estimator], X, Y)
    assert isinstance(expected, list)
    for form, matrix in SAME.items():
        found = fitted(kind, ESTIMATORS[estimator], matrix, Y)
        assert found == expected or isinstance(found, str), form
        if not isinstance(found, list):
            assert "np.matrix" in found or "Sparse data" in found, (form, found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ["naive Bayes", "criterion"])
def test_selectors_refuse_what_is_no_table(estimator):
    for form, matrix in UNUSABLE.items():
        assert isinstance(fitted(sw.SequentialSelector, ESTIMATORS[estimator], matrix, Y), str), form
    for kind, labels in NO_LABELS.items():
        assert isinstance(fitted(sw.SequentialSelector, ESTIMATORS[estimator], X, labels), str), kind


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_selectors_take_strange_numbers_or_say_why_not(estimator):
    for matrix in STRANGE.values():
        fitted(sw.SequentialSelector, ESTIMATORS[estimator], matrix, Y)
    for labels in LABELS.values():
        fitted(sw.SequentialSelector, ESTIMATORS[estimator], X, labels)
