"""Data are checked once, at the border, and never copied without need."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, dataset
from sweepless.criteria import KNN
from sweepless.data import read_npz
from sweepless.errors import DataError, InputError
from sweepless.selectors.scaled import ScaledDataset

X = np.arange(12.0).reshape(4, 3)
Y = np.array([1, 0, 1, 0])


def with_cell(value):
    spoiled = X.copy()
    spoiled[2, 1] = value
    return spoiled


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X[0],), "X must have two dimensions (samples, features), got 1."),
        ((X[None],), "X must have two dimensions (samples, features), got 3."),
        ((X.astype(complex),), "X must hold real numbers, got dtype complex128."),
        ((X.astype(str),), "X must hold real numbers, got dtype <U32."),
        ((np.array([["a", 1]], dtype=object),), "X must hold real numbers, got dtype object."),
        ((X[:0],), "X must hold at least one sample and one feature, got shape (0, 3)."),
        ((X[:, :0],), "X must hold at least one sample and one feature, got shape (4, 0)."),
        ((with_cell(np.nan),), "X must be finite, got NaN or infinity at sample 2, feature 1."),
        ((with_cell(-np.inf),), "X must be finite, got NaN or infinity at sample 2, feature 1."),
        (
            (sparse.csr_matrix(with_cell(np.nan)),),
            "X must be finite, got NaN or infinity at a stored entry.",
        ),
        (
            (np.ma.masked_array(X, X > 5),),
            "X must be a plain array, got a masked one; fill the missing values first.",
        ),
        ((X, Y[:3]), "y must hold one entry for each of the 4 samples, got shape (3,)."),
        ((X, 7), "y must hold one entry for each of the 4 samples, got shape ()."),
        ((X, [1, np.nan, 2, 3]), "y must hold a label for every sample, got NaN or infinity."),
        ((X, ["a", None, "b", "a"]), "y must hold a label for every sample, got a missing one."),
        ((X, Y.astype(complex)), "y must hold numbers or strings, got dtype complex128."),
    ],
)
def test_data_that_cannot_be_used_are_refused_in_one_sentence(arguments, message):
    with pytest.raises(DataError) as caught:
        Dataset(*arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "`feature_names` must hold 3 names, got 2."),
        (["a", "b", "a"], "`feature_names` must be distinct, got 'a' twice."),
    ],
)
def test_names_must_fit_and_differ(names, message):
    with pytest.raises(DataError) as caught:
        Dataset(X, Y, feature_names=names)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([0], "`classes` must name every label once, got [0] for labels [0, 1]."),
        ([0, 1, 1], "`classes` must name every label once, got [0, 1, 1] for labels [0, 1]."),
    ],
)
def test_classes_must_name_every_label_once(classes, message):
    with pytest.raises(DataError) as caught:
        _ = Dataset(X, Y, classes=classes).codes
    assert str(caught.value) == message


def test_labels_must_be_there_and_be_labels():
    with pytest.raises(DataError, match="data has no labels, but this criterion needs them; pass `y`"):
        _ = Dataset(X).codes
    with pytest.raises(DataError, match="class labels must be whole numbers or strings, got fractional numbers"):
        _ = Dataset(X, [0.5, 1, 2, 3]).codes
    with pytest.raises(DataError, match="class labels must be one per sample, got an array of shape"):
        _ = Dataset(X, Y[:, None]).codes
    with pytest.raises(DataError, match="data must hold samples of at least two classes, got 1"):
        Dataset(X, [3, 3, 3, 3]).require_classes()
    Dataset(X, Y).require_classes()


def test_an_empty_class_is_not_one_to_tell_apart():
    with pytest.raises(DataError, match="at least two classes, got 1"):
        Dataset(X, [3, 3, 3, 3], classes=[3, 4]).require_classes()


@pytest.mark.parametrize("kept", [np.asarray, sparse.csr_matrix])
def test_some_feature_must_vary(kept):
    constant = np.tile([1.0, 0.0, 2.0], (4, 200))
    with pytest.raises(DataError, match="data must hold a feature that varies, got 600 constant columns"):
        Dataset(kept(constant), Y).require_variation()
    constant[3, 599] = 5.0
    Dataset(kept(constant), Y).require_variation()


def test_classes_are_numbered_in_sorted_order_or_in_the_order_given():
    labels = ["pear", "apple", "pear", "fig"]
    data = Dataset(X, labels)
    assert data.classes.tolist() == ["apple", "fig", "pear"]
    assert data.codes.tolist() == [2, 0, 2, 1]
    assert data.class_sizes.tolist() == [1, 1, 2]
    ordered = Dataset(X, labels, classes=["pear", "kiwi", "fig", "apple"])
    assert ordered.codes.tolist() == [0, 3, 0, 2]
    assert ordered.class_sizes.tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize("labels", [[True, False, True, False], [b"x", b"a", b"x", b"a"], [7.0, -1.0, 7.0, -1.0]])
def test_labels_may_be_of_any_plain_kind(labels):
    assert Dataset(X, labels).codes.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("kept", [np.asarray, sparse.csc_matrix])
def test_a_part_remembers_the_classes_and_their_sizes_in_the_whole(kept):
    whole = Dataset(kept(X), [2, 0, 2, 1], name="fruit", feature_names=list("abc"))
    part = whole.take([0, 2], "fruit (train)")
    assert (part.name, part.n_samples, part.feature_names) == ("fruit (train)", 2, ("a", "b", "c"))
    assert part.codes.tolist() == [2, 2]
    assert part.class_sizes.tolist() == [0, 0, 2]
    assert part.population_class_sizes.tolist() == [1, 1, 2]
    assert part.take([0]).population_class_sizes.tolist() == [1, 1, 2]
    assert part.columns([1]).tolist() == [[1.0, 7.0]]
    assert whole.population_class_sizes.tolist() == [1, 1, 2]


def test_rows_can_be_taken_by_mask_or_slice_and_without_labels():
    data = Dataset(X, Y)
    assert data.take(Y == 1).columns([0]).tolist() == [[0.0, 6.0]]
    assert data.take(slice(1, 3)).codes.tolist() == [0, 1]
    assert Dataset(X).take([1]).y is None


def test_fractional_targets_stay_targets_when_rows_are_taken():
    assert Dataset(X, [0.5, 1.5, 2.5, 3.5]).take([0, 3]).target.tolist() == [0.5, 3.5]


def test_another_matrix_keeps_samples_and_names():
    scaled = Dataset(X, Y, feature_names=list("abc")).with_matrix(X / 11)
    assert scaled.feature_names == ("a", "b", "c")
    assert scaled.codes.tolist() == Y.tolist()
    assert scaled.columns([2])[0, 3] == 1.0


def test_arrays_are_kept_as_they_are():
    for kept in (X, X.astype(np.float32), np.asfortranarray(X), X.astype(np.uint8)):
        assert Dataset(kept).X is kept


def test_a_memory_map_is_not_copied(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    data = Dataset(mapped, Y)
    assert data.X is mapped
    assert isinstance(data.X, np.memmap)
    columns = data.columns([2, 0])
    assert columns.tolist() == X[:, [2, 0]].T.tolist()
    assert columns.flags.writeable


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
def test_sparse_data_stay_sparse(kind):
    data = Dataset(kind(X), Y)
    assert sparse.issparse(data.X)
    assert data.X.format == "csc"
    assert data.columns([1, 2]).tolist() == X[:, [1, 2]].T.tolist()
    assert data.take([3, 0]).columns([1]).tolist() == [[10.0, 1.0]]


def test_columns_come_as_doubles_one_feature_per_row():
    columns = Dataset(X.astype(np.int16)).columns(np.array([2, 0]))
    assert columns.dtype == np.float64
    assert columns.flags.c_contiguous
    assert columns.tolist() == [[2, 5, 8, 11], [0, 3, 6, 9]]


def test_columns_in_their_own_order_are_the_same_and_are_made_once(monkeypatch):
    X = np.random.default_rng(0).normal(size=(6, 5))
    data = Dataset(X, np.arange(6) % 2)
    ordered = data.in_column_order()
    assert ordered.X.flags.f_contiguous
    assert data.X is X
    assert data.in_column_order().X is ordered.X
    assert np.array_equal(ordered.columns([3, 1]), data.columns([3, 1]))
    assert np.array_equal(data.of_features([4, 2]).in_column_order().columns([0, 1]), data.columns([4, 2]))
    assert ordered.in_column_order() is ordered
    assert Dataset(sparse.csc_matrix(X)).in_column_order().X.format == "csc"
    monkeypatch.setattr(dataset, "_MOST_COPIED", 10)
    assert data.in_column_order() is data


def test_what_is_lent_are_the_data_or_columns_of_them():
    data = Dataset(np.random.default_rng(0).normal(size=(6, 5)))
    some = np.array([3, 1])
    for each in (data, data.in_column_order(), ScaledDataset(data, (StandardScaler(),), np.arange(4))):
        columns, places = each.lend(some)
        assert np.array_equal(columns[places], each.columns(some))
    assert each.in_column_order() is each  # a view, which has no X


def test_nearest_neighbors_read_columns_in_their_own_order():
    data = Dataset(np.random.default_rng(0).normal(size=(30, 5)), np.arange(30) % 2)
    cursor = KNN().bind(data)
    columns, _ = cursor.data.lend(np.array([2]))
    assert np.shares_memory(columns, data.in_column_order().X)
    assert cursor.evaluate([1, 3]) == KNN().bind(data.in_column_order()).evaluate([1, 3])


def test_a_large_matrix_is_searched_for_gaps_block_by_block(monkeypatch):
    monkeypatch.setattr("sweepless._inputs._BLOCK_CELLS", 3)
    Dataset(X)
    with pytest.raises(DataError, match="sample 2, feature 1"):
        Dataset(with_cell(np.nan))


def test_a_dataframe_names_its_features():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", 3])
    data = Dataset(frame, pandas.Series(["u", "v", "u", "v"]))
    assert data.feature_names == ("a", "b", "3")
    assert data.codes.tolist() == [0, 1, 0, 1]
    assert Dataset(frame, feature_names=list("xyz")).feature_names == ("x", "y", "z")
    categories = pandas.Series(["u", "v", "u", "v"], dtype="category")
    assert Dataset(frame, categories).classes.tolist() == ["u", "v"]
    with pytest.raises(DataError, match="X must hold real numbers, got dtype object"):
        Dataset(frame.assign(c="text"))


def test_a_data_set_prints_what_it_is():
    assert repr(Dataset(X, Y, name="toy")) == "Dataset('toy', n_samples=4, n_features=3)"


@pytest.mark.skipif(np.finfo(np.longdouble).max <= np.finfo(np.float64).max, reason="long doubles are doubles here")
def test_long_doubles_beyond_doubles_are_refused(tmp_path):
    wide = X.astype(np.longdouble)
    wide[2, 1] = np.longdouble("1e400")
    with pytest.raises(DataError, match=r"X must hold numbers within the range of doubles, got a greater one"):
        Dataset(wide)
    with pytest.raises(DataError, match="y must hold numbers within the range of doubles, got a greater one"):
        Dataset(X, wide[:, 1])
    np.savez(tmp_path / "wide.npz", X=wide, y=np.arange(len(wide)))
    with pytest.raises(DataError, match=r"within the range of doubles, got a greater one at sample 2, feature 1"):
        read_npz(tmp_path / "wide.npz")


@pytest.mark.parametrize(
    ("target", "has_classes"),
    [
        (["a", "b", "c"], True),
        ([True, False, True], True),
        ([0, 1] * 5, True),
        ([0.0, 1.0] * 5, True),
        ([0, 1] * 4, False),  # four times each: hardly
        (np.arange(20), False),
        ([0.5, 1.0] * 5, False),
        (None, False),
    ],
)
def test_a_target_is_classes_unless_it_is_fractional_or_hardly_repeats(target, has_classes):
    n_samples = 5 if target is None else len(target)
    assert Dataset(np.eye(n_samples), target).has_classes is has_classes


def test_the_task_overrules_and_parts_are_understood_as_the_whole():
    y = np.arange(100) % 15
    data = Dataset(np.eye(100), y)
    assert data.has_classes and data.take(np.arange(30)).has_classes
    assert len(set(data.strata.tolist())) == 15
    numbers = data.with_task("regression")
    assert data.has_classes and not numbers.has_classes
    assert not numbers.take(np.arange(30)).has_classes and not numbers.with_matrix(np.eye(100)).has_classes
    assert not numbers.strata.any() and not numbers.take(np.arange(30)).strata.any()
    assert Dataset(np.eye(3), [1, 2, 3], task="classification").has_classes
    with pytest.raises(InputError, match="`task` must be classification, regression or None, got 'guess'"):
        Dataset(np.eye(3), [1, 2, 3], task="guess")


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_some_features_of_the_same_samples(form):
    X = np.arange(12.0).reshape(3, 4)
    part = Dataset(form(X), [0, 1, 1], feature_names=list("abcd")).of_features(np.array([3, 1]))
    assert part.n_features == 2 and list(part.feature_names) == ["d", "b"]
    np.testing.assert_array_equal(part.columns([0, 1]), X.T[[3, 1]])
    np.testing.assert_array_equal(part.take([2, 0]).columns([1]), [[9.0, 1.0]])
