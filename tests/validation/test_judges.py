"""The judges of a panel, against the same models of scikit-learn or against what defines them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

from sweepless.validation import judges
from sweepless.validation.judges import default_judges

X, Y = load_wine(return_X_y=True)
PARTS = train_test_split(X, Y, test_size=0.4, random_state=0, stratify=Y)
FAMILIES = ("linear", "kernel", "neighbors", "trees")


def scaled(known: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scaler = StandardScaler().fit(known)
    return scaler.transform(known), scaler.transform(new)


def parts() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    known, new, y, truth = PARTS
    return *scaled(known, new), np.eye(3)[y], truth


def test_ridge_and_neighbors_are_those_of_scikit_learn() -> None:
    known, new, y, _ = train_test_split(*load_diabetes(return_X_y=True), random_state=0)
    rows = scaled(known, new)
    found = default_judges("regression")
    for name, model in (("linear", Ridge()), ("neighbors", KNeighborsRegressor())):
        np.testing.assert_allclose(found[name].fit(known, y).predict(new), model.fit(rows[0], y).predict(rows[1]))


def test_neighbors_vote_like_those_of_scikit_learn() -> None:
    known, new, outputs, _ = parts()
    shares = KNeighborsClassifier().fit(known, outputs.argmax(axis=1)).predict_proba(new)
    np.testing.assert_allclose(judges.neighbors(known, outputs, new), shares, atol=1e-12)


def test_many_rows_are_judged_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    known, outputs, new = rng.normal(size=(30, 4)), np.eye(2)[rng.integers(0, 2, 30)], rng.normal(size=(17, 4))
    whole = judges.neighbors(known, outputs, new)
    monkeypatch.setattr(judges, "_CELLS", 5 * 30)
    np.testing.assert_array_equal(judges.neighbors(known, outputs, new), whole)


def test_equally_far_neighbors_share_what_is_left() -> None:
    known, outputs = np.array([[0.0], [1.0], [1.0], [-1.0], [1.0], [2.0], [-1.0]]), np.eye(2)[[0, 0, 1, 1, 1, 1, 1]]
    # One is nearest; the five that follow have four places, a fifth of a place less for each.
    np.testing.assert_allclose(judges.neighbors(known, outputs, np.zeros((1, 1))), [[(1 + 0.8) / 5, 4 * 0.8 / 5]])


def test_radial_kernels_are_those_of_scikit_learn() -> None:
    known, new, outputs, _ = parts()
    model = KernelRidge(alpha=1.0, kernel="rbf", gamma=1 / known.shape[1])
    level = outputs.mean(axis=0)
    expected = level + model.fit(known, outputs - level).predict(new)
    np.testing.assert_allclose(judges.radial(known, outputs, new), expected, atol=1e-10)


def test_a_large_kernel_matrix_is_made_of_some_rows_of_every_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "_MOST_ROWS", 30)
    known, new, outputs, truth = parts()
    assert np.mean(judges.radial(known, outputs, new).argmax(axis=1) == truth) > 0.9


@pytest.mark.parametrize("n_features", [3, 13, 200])  # fewer and more than samples
def test_the_discriminant_is_that_of_normal_classes(n_features: int) -> None:
    rng = np.random.default_rng(n_features)
    codes = np.arange(60) % 3
    known, new = (np.clip(rng.normal(size=(n, n_features)), -3, 3) for n in (60, 40))
    known[:, 0] += codes
    known = np.clip(known, -3, 3)
    means = np.array([known[codes == c].mean(axis=0) for c in range(3)])
    within = known - means[codes]
    inverse = np.linalg.inv((within.T @ within + 4.0 * np.eye(n_features)) / 60)
    distances = np.array([np.einsum("ij,jk,ik->i", new - mean, inverse, new - mean) for mean in means]).T
    densities = np.exp(-0.5 * (distances - distances.min(axis=1, keepdims=True)))
    found = judges.discriminant(known, np.eye(3)[codes], new)
    np.testing.assert_allclose(found, densities / densities.sum(axis=1, keepdims=True), atol=1e-9)


def test_judges_are_good_models() -> None:
    known, new, y, truth = PARTS
    for name, judge in default_judges("classification").items():
        assert judge.fit(known, y).score(new, truth) > 0.9, name
    known, new, y, truth = train_test_split(*load_diabetes(return_X_y=True), random_state=0)
    for name, judge in default_judges("regression").items():
        assert judge.fit(known, y).score(new, truth) > 0.15, name


@pytest.mark.parametrize("family", FAMILIES)
def test_a_judge_knows_labels_and_repeats_itself(family: str) -> None:
    known, new, y, truth = PARTS
    words = np.array(["white", "red", "rosé"])
    judge = default_judges("classification")[family].fit(known, words[y])
    again = clone(judge).fit(known, words[y])
    assert judge.score(new, words[truth]) > 0.9
    np.testing.assert_array_equal(judge.predict(new), again.predict(new))


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro", "neg_log_loss", "roc_auc_ovr"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_score_is_possible(family: str, scoring: str) -> None:
    known, new, y, truth = PARTS
    judge = default_judges("classification")[family].fit(known, y)
    assert check_scoring(judge, scoring=scoring)(judge, new, truth) > (-0.7 if scoring == "neg_log_loss" else 0.9)


@pytest.mark.parametrize("family", FAMILIES)
def test_degenerate_data_are_judged(family: str) -> None:
    y = np.repeat([0, 1], [6, 2])
    for column in (np.zeros(8), np.full(8, 0.1), np.repeat([1e200, -1e200], 4), np.repeat([0.0, 1e-300], [6, 2])):
        judge = default_judges("classification")[family].fit(column[:, None], y)
        assert judge.score(column[:, None], y) >= 0.5
    assert default_judges("classification")[family].fit(X[:4], np.ones(4)).score(X[:2], np.ones(2)) == 1.0


def test_one_scale_for_all_features() -> None:
    known, y = load_iris(return_X_y=True)
    widths = np.array([1.0, 1e6, 1e-6, 1e3])
    for judge in default_judges("classification").values():
        np.testing.assert_array_equal(
            judge.fit(known, y).predict(known), clone(judge).fit(known * widths, y).predict(known * widths)
        )
