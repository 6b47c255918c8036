"""Scalers of some columns: native values are those of `cross_val_score`, or there is a reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, RobustScaler, StandardScaler

from sweepless import Dataset, Direction, SequentialSelector
from sweepless.selectors.native import choose_criterion
from sweepless.testing import check_criterion

DRAWS = np.random.default_rng(0)
FRAME = pd.DataFrame(
    DRAWS.normal(size=(48, 6)) * 10.0 ** np.arange(6) + 3.0, columns=["len_a", "len_b", "mass_a", "mass_b", "c", "d"]
)
LATENT = FRAME.len_a.to_numpy() + DRAWS.normal(size=48)
LABELS = (np.median(LATENT) < LATENT).astype(int)
SPLITS = list(KFold(3, shuffle=True, random_state=0).split(FRAME))
LENGTHS, MASSES = make_column_selector("^len"), make_column_selector("^mass")


@pytest.mark.parametrize(
    "transformer",
    [
        make_column_transformer((StandardScaler(), LENGTHS), (MinMaxScaler(), MASSES), remainder="passthrough"),
        make_column_transformer(("passthrough", LENGTHS), remainder=RobustScaler()),
        make_column_transformer((StandardScaler(), make_column_selector(dtype_include=float))),
        make_column_transformer((MinMaxScaler(), slice(None))),
    ],
)
@pytest.mark.parametrize("last", [Ridge(), KNeighborsClassifier(3)])
def test_values_are_those_of_cross_validation(transformer, last):
    y = LABELS if isinstance(last, KNeighborsClassifier) else LATENT
    data, estimator = Dataset(FRAME, y), make_pipeline(transformer, last)
    chosen = choose_criterion(estimator, data, splits=SPLITS)
    assert chosen.is_native, chosen.reason
    cursor = chosen.criterion.bind(data)
    cursor.jump([0, 3])
    found = {(0,): cursor.evaluate([0]), (1, 2, 3, 5): cursor.evaluate([1, 2, 3, 5])}
    found[0, 3, 4] = cursor.peek(Direction.ADD, [4])[0]
    for members, value in found.items():
        theirs = cross_val_score(estimator, FRAME.iloc[:, list(members)], y, cv=SPLITS).mean()
        assert value == pytest.approx(theirs, abs=1e-12, rel=1e-12)


def test_j_is_a_function_of_the_set():
    transformer = make_column_transformer((StandardScaler(), LENGTHS), remainder=MinMaxScaler())
    data = Dataset(FRAME, LABELS)
    chosen = choose_criterion(make_pipeline(transformer, KNeighborsClassifier(3)), data, splits=SPLITS, native=True)
    check_criterion(chosen.criterion, data, n_rounds=2)


@pytest.mark.parametrize(
    ("transformer", "reason"),
    [
        (make_column_transformer((StandardScaler(), ["c", "d"])), "names columns that a subset may lack"),
        (make_column_transformer((StandardScaler(), LENGTHS)), "holds 'drop', which is no plain scaler"),
        (make_column_transformer((OneHotEncoder(), LENGTHS), remainder="passthrough"), "holds OneHotEncoder(), which"),
        (make_column_transformer((MinMaxScaler(), LENGTHS), (StandardScaler(), slice(None))), "the column len_a twice"),
        (ColumnTransformer([("s", StandardScaler(), slice(None))], transformer_weights={"s": 2.0}), "weighs its"),
    ],
)
def test_everything_else_has_a_reason(transformer, reason):
    chosen = choose_criterion(make_pipeline(transformer, Ridge()), Dataset(FRAME, LABELS), splits=SPLITS)
    assert not chosen.is_native
    assert reason in chosen.reason


def test_a_selector_says_so():
    transformer = make_column_transformer(
        (StandardScaler(), LENGTHS), (MinMaxScaler(), MASSES), remainder="passthrough"
    )
    estimator = make_pipeline(transformer, KNeighborsClassifier(3))
    selector = SequentialSelector(estimator, method="SFS", n_features_to_select=2).fit(FRAME, LABELS)
    assert "after StandardScaler or MinMaxScaler or nothing" in selector.criterion_.reason
    arrays = choose_criterion(estimator, Dataset(FRAME.to_numpy(), LABELS), splits=SPLITS)
    assert "takes the columns of a dataframe" in arrays.reason
