"""Racing: the best of a batch is known by its value, and the others cost less."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, check_scoring, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, Direction, SequentialSelector, run
from sweepless.criteria import KNN, Criterion, Cursor, EstimatorCriterion, Penalized, Units
from sweepless.criteria.gains import gains_of
from sweepless.errors import InputError
from sweepless.search.racing import Heat, Race
from sweepless.search.racing_samples import SampleRace, _with_memory
from sweepless.search.settings import SearchSettings
from tests.journal.twins import facts

DRAWS = np.random.default_rng(5)
Y = DRAWS.permutation(np.arange(90) % 3)
X = DRAWS.normal(size=(90, 24)) + (Y[:, None] == np.arange(24) % 4) * DRAWS.uniform(0.0, 1.2, 24)
DATA = Dataset(X, Y)
FITTED = EstimatorCriterion(NearestCentroid(), cv=5)
BY_FOLDS = EstimatorCriterion(NearestCentroid(), "f1_macro", cv=5)


def raced(folds: np.ndarray, race: Race) -> tuple[np.ndarray, Heat]:
    """Race candidates whose fold scores are known; an estimate is the mean of the first folds."""
    n_folds = folds.shape[1]
    heat = Heat(range(len(folds)), [k / n_folds for k in range(1, n_folds + 1)])
    return race(heat, lambda rung, places: heat.note(rung, places, folds[places, : rung + 1].mean(axis=1))), heat


def scores(seed: int, n_candidates: int = 40, n_folds: int = 5) -> np.ndarray:
    """Make fold scores whose folds differ in difficulty and candidates in value."""
    draws = np.random.default_rng(seed)
    fold, value = draws.normal(0, 0.1, n_folds), draws.normal(0, 0.03, (n_candidates, 1))
    return fold + value + draws.normal(0, 0.01, (n_candidates, n_folds))


def test_the_best_is_nearly_always_found_for_half_of_the_folds():
    race, n_found, shares = Race(4), 0, []
    for seed in range(100):
        folds = scores(seed)
        values, heat = raced(folds, race)
        n_found += values.argmax() == folds.mean(axis=1).argmax()
        shares.append(heat.spared / len(folds))
    assert n_found >= 95
    assert np.mean(shares) > 0.5


@pytest.mark.parametrize("seed", range(20))
def test_who_wins_has_a_value_and_who_has_none_is_predicted_below(seed):
    folds = scores(seed, n_candidates=6 + seed)
    values, heat = raced(folds, Race(4))
    exact = folds.mean(axis=1)
    assert heat.is_valued[values.argmax()]
    assert np.array_equal(values[heat.is_valued], exact[heat.is_valued])
    assert np.all(values[~heat.is_valued] < values.max())
    done = np.minimum(heat.reached + 1, 5) / 5
    assert heat.spared == pytest.approx(len(folds) - done.sum())


def caution(squares: np.ndarray) -> float:
    """How many times a variance counts that is made of these squares."""
    return 1 + 6 * np.sum(squares**2) / np.sum(squares) ** 2 if np.any(squares) else 7.0


def predicted(samples: np.ndarray, rivals: np.ndarray, n_seen: int, n_errors: float) -> np.ndarray:
    """Predict means of rows from their first samples and from rows that are known, by definition."""
    n_rivals, n_samples = rivals.shape
    ahead = samples[:, :n_seen] - rivals[:, :n_seen].mean(axis=0)
    among = np.var(rivals, axis=0, ddof=1)
    pooled = among.mean() * (1 + 1 / n_rivals) * caution(among)
    spread = np.sqrt([max(pooled, row.var(ddof=1) / 2 * caution(row**2)) for row in ahead])
    n_left = n_samples - n_seen
    error = n_left / n_samples * np.sqrt(1 / n_seen + 1 / n_left)
    return rivals.mean() + ahead.mean(axis=1) + n_errors * error * spread


def raced_by_samples(samples: np.ndarray, n_folds: int = 5, race: SampleRace | None = None) -> tuple[np.ndarray, Heat]:
    """Race candidates whose samples, in folds of one size, are known."""
    size = samples.shape[1] // n_folds
    heat = Heat(range(len(samples)), [k / n_folds for k in range(1, n_folds + 1)])
    values = (race or SampleRace())(
        heat,
        lambda rung, places: heat.note(rung, places, samples[places, : (rung + 1) * size].mean(axis=1)),
        lambda rung, places, rivals, n: predicted(samples[places], samples[rivals], (rung + 1) * size, n),
    )
    return values, heat


def test_races_by_samples_find_the_best_for_less():
    n_found, shares = 0, []
    for seed in range(100):
        draws = np.random.default_rng(seed)
        difficulty, skill = draws.normal(size=200), draws.normal(0.5, 0.3, (30, 1))
        samples = (skill + difficulty + draws.normal(0, 0.3, (30, 200)) > 0).astype(float)
        values, heat = raced_by_samples(samples)
        exact = samples.mean(axis=1)
        assert heat.is_valued[values.argmax()]
        assert np.array_equal(values[heat.is_valued], exact[heat.is_valued])
        assert np.all(values[~heat.is_valued] < values.max())
        n_found += values.max() == exact.max()
        shares.append(heat.spared / len(samples))
    assert n_found >= 95
    assert np.mean(shares) > 0.6


@pytest.mark.parametrize("samples", [np.zeros((9, 100)), np.tile(np.arange(9.0)[:, None], 100), np.full((9, 100), 0.1)])
def test_races_by_samples_without_noise(samples):
    values, heat = raced_by_samples(samples)
    exact = samples.mean(axis=1)
    assert np.array_equal(np.flatnonzero(values == values.max()), np.flatnonzero(exact == exact.max()))
    assert heat.spared > 0 or len(np.unique(exact)) == 1  # equals are all valued


def test_who_was_behind_before_is_dropped_sooner():
    n_found, work = 0, []
    for seed in range(100):
        draws, race = np.random.default_rng(seed), SampleRace()
        skill = draws.normal(0.5, 0.15, (30, 1))
        for _ in range(2):
            samples = (skill + draws.normal(size=200) + draws.normal(0, 0.5, (30, 200)) > 0).astype(float)
            skill = skill + 0.2 + draws.normal(0, 0.02, (30, 1))
            values, heat = raced_by_samples(samples, race=race)
            assert heat.is_valued[values.argmax()]
        n_found += values.max() == samples.mean(axis=1).max()
        work.append([30 - one.spared for one in (heat, raced_by_samples(samples)[1])])
    with_memory, without = np.mean(work, axis=0)
    assert n_found >= 95
    assert with_memory < 0.95 * without


def test_predictions_are_weighted_by_their_variances():
    values, errors = DRAWS.normal(size=12), DRAWS.uniform(0.1, 1.0, 12)
    errors[:2], errors[-1] = 0.0, np.inf  # two have values, of one nothing is known
    before = np.array([values - 3.0 + DRAWS.normal(0, 0.3, 12), DRAWS.uniform(0.0, 0.5, 12)])
    before[1, 2], before[0, -2], before[1, -3] = 0.0, np.nan, np.inf  # of the last two nothing was known before
    likely, unsure = _with_memory(values, errors, before)
    assert np.array_equal(likely[[0, 1, -3, -2, -1]], values[[0, 1, -3, -2, -1]])
    assert np.array_equal(unsure[[0, 1, -3, -2, -1]], errors[[0, 1, -3, -2, -1]])
    changes = (values - before[0])[:9]
    spread = np.sum((changes - changes.mean()) ** 2) / 8
    for place in range(2, 9):
        precisions = 1 / np.array([errors[place] ** 2, before[1, place] ** 2 + spread])
        expected = np.average([values[place], before[0, place] + changes.mean()], weights=precisions)
        assert likely[place] == pytest.approx(expected, rel=1e-12)
        assert unsure[place] == pytest.approx(precisions.sum() ** -0.5, rel=1e-12)
    alone = np.full((2, 12), np.nan)
    alone[:, 2:5] = before[:, 2:5]  # three tell too little
    assert _with_memory(values, errors, alone)[0] is values


def test_changes_are_no_surer_than_what_they_are_made_of():
    errors, before = np.linspace(0.1, 0.4, 8), np.array([np.arange(8.0), np.full(8, 0.2)])
    values = before[0] + 1.0  # all have changed alike
    for least in (0.0, 0.5):
        _, unsure = _with_memory(values, errors, before, least)
        assert unsure == pytest.approx((1 / errors**2 + 1 / (0.2**2 + least * np.mean(errors**2))) ** -0.5)


def test_a_heat_knows_what_its_first_looks_are():
    begun, whole, short = ([0.05, 0.2, 1.0], [0.5, 1.0], [0.1, 0.3, 1.1])
    assert [Heat(range(3), rungs).only_begins for rungs in (begun, whole, short)] == [True, False, False]
    assert [Heat(range(3), rungs).looks_twice for rungs in (begun, whole, short)] == [False, False, True]


@pytest.mark.parametrize("looking", [0.0, 0.1])
def test_what_is_known_adds_up_unless_first_looks_are_at_all_samples(looking):
    race, exact = SampleRace(), np.arange(8.0)
    for seed in range(3):
        draws, before = np.random.default_rng(seed), race._before
        heat = Heat(range(8), [looking + 0.5, looking + 1.0])
        told = exact + draws.normal(0, 0.1, 8)
        likely = race(
            heat,
            lambda rung, places, heat=heat, told=told: heat.note(rung, places, (told, exact)[rung][places]),
            lambda _, places, __, n_errors, told=told: told[places] + n_errors * np.linspace(0.2, 0.1, 8)[places],
        )
        known, errors = np.array([race._before[one] for one in range(8)]).T
        dropped = ~heat.is_valued
        assert np.array_equal(known[heat.is_valued], exact[heat.is_valued])
        assert np.all(errors[heat.is_valued] == 0.0)
        if looking or not before:
            assert np.array_equal(known[dropped], told[dropped])
        else:
            assert np.array_equal(known, likely)
            assert np.all(errors[dropped] < [before[one][1] for one in np.flatnonzero(dropped)])


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        *((GaussianNB(), word) for word in (None, "accuracy", "neg_log_loss", make_scorer(accuracy_score))),
        *((Ridge(), word) for word in (None, "r2", "neg_mean_squared_error", "neg_mean_absolute_error")),
        (make_pipeline(StandardScaler(), GaussianNB()), None),
    ],
)
def test_the_mean_of_gains_is_the_score(estimator, scoring):
    scorer, target = check_scoring(estimator, scoring=scoring), Y.astype(float) if isinstance(estimator, Ridge) else Y
    fitted = estimator.fit(X, target)
    score, gains = gains_of(estimator, scorer, target).scored(scorer, fitted, X, target)
    assert len(gains) == len(target)
    assert score == scorer(fitted, X, target)
    assert gains.mean() == pytest.approx(score, rel=1e-12)


def test_what_is_no_mean_over_samples_has_no_gains():
    for scoring in ("f1_macro", "roc_auc_ovr", make_scorer(accuracy_score, normalize=False), lambda *_: 0.0):
        assert gains_of(GaussianNB(), check_scoring(GaussianNB(), scoring=scoring), Y) is None
    assert not BY_FOLDS.bind(DATA).compares
    weighted = EstimatorCriterion(GaussianNB(), score_params={"sample_weight": np.ones(90)})
    assert not weighted.bind(DATA).compares


def test_a_comparison_is_that_of_paired_samples():
    n_samples, n_folds = 110, 5  # folds of one size
    data = Dataset(DRAWS.normal(size=(n_samples, 6)), np.arange(n_samples) % 2)
    criterion = EstimatorCriterion(GaussianNB(), cv=n_folds)
    cursor, subsets = criterion.bind(data), [np.array(some) for some in ([0, 2], [1], [3, 4], [2], [5])]
    gains = []
    for members in subsets:
        hits = [
            GaussianNB().fit(data.X[train][:, members], data.y[train]).predict(data.X[test][:, members]) == data.y[test]
            for train, test in cursor._fits.splits
        ]
        gains.append(np.concatenate(hits).astype(float))
    cursor.glimpse(subsets, 1)
    found = cursor.compare(subsets[2:], 1, subsets[:2], 1.5)
    np.testing.assert_allclose(found, predicted(np.array(gains[2:]), np.array(gains[:2]), 44, 1.5), rtol=1e-12)
    afresh = criterion.bind(data)  # as after a break
    assert np.array_equal(afresh.compare(subsets[2:], 1, subsets[:2], 1.5), found)
    assert np.all(
        EstimatorCriterion(GaussianNB(), cv=11).bind(data).compare(subsets[2:], 0, subsets[:2], 1.5) == np.inf
    )


@pytest.mark.parametrize("folds", [np.zeros((9, 3)), np.tile(np.arange(9.0)[:, None], 3)])
def test_ties_and_scores_without_noise(folds):
    values, _ = raced(folds, Race(folds.shape[1] - 1))
    exact = folds.mean(axis=1)
    assert values.argmax() == exact.argmax()
    assert np.array_equal(np.flatnonzero(values == values.max()), np.flatnonzero(exact == exact.max()))


@pytest.mark.parametrize("criterion", [FITTED, BY_FOLDS])
def test_a_raced_search_counts_candidates_and_spares_fits(criterion):
    plain, fast = (run("SFS", criterion, DATA, target=6, racing=word) for word in (None, "auto"))
    assert plain.anatomy.spared == 0.0
    assert fast.n_evaluations == plain.n_evaluations  # who began counts
    assert 0.2 < fast.anatomy.spared_share < 0.8
    cursor = criterion.bind(DATA)
    for record in fast.archive.values():
        assert record.value == cursor.evaluate(record.features)  # never an estimate
    assert fast.value >= plain.value - 0.03


def test_nothing_is_raced_by_the_reference_generator_nor_where_values_come_at_once():
    for criterion, options in ((FITTED, {"rng": "reference"}), (KNN(), {}), (FITTED, {"racing": None})):
        assert run("SFS", criterion, DATA, target=3, **options).anatomy.spared == 0.0


def test_workers_do_not_change_a_raced_search():
    alone = facts(run("SFFS", FITTED, DATA, target=3))
    with parallel_config(backend="threading"):
        together = facts(run("SFFS", EstimatorCriterion(NearestCentroid(), cv=5, n_jobs=2), DATA, target=3))
    told = together["told"] | {"criterion": alone["told"]["criterion"]}
    assert together | {"told": told} == alone


@pytest.mark.parametrize("wrap", [lambda one: Penalized(one, 0.01), lambda one: Units(one, [[0, 3], [1], [2, 5]], [7])])
def test_wrappers_take_estimates_along(wrap):
    cursor, inner = wrap(FITTED).bind(DATA), FITTED.bind(DATA)
    assert cursor.rungs == inner.rungs == (0.2, 0.4, 0.6, 0.8, 1.0)
    subsets = [np.array([0, 2]), np.array([1])]
    columns = subsets if isinstance(wrap(FITTED), Penalized) else [np.array([0, 2, 3, 5, 7]), np.array([1, 7])]
    off = 0.0 if len(columns[1]) > 1 else np.array([0.02, 0.01])
    inner.jump(np.array([7] if len(columns[1]) > 1 else [], dtype=np.intp))  # what is fixed decides which fold is first
    assert np.array_equal(cursor.glimpse(subsets, 1), inner.glimpse(columns, 1) - off)
    assert cursor.compares
    assert np.array_equal(
        cursor.compare(subsets, 1, subsets[:1], 1.0), inner.compare(columns, 1, columns[:1], 1.0) - off
    )


def test_an_estimate_is_the_mean_of_the_first_folds_and_they_are_not_fitted_again():
    fits = []

    class Counted(GaussianNB):
        def fit(self, X, y):
            fits.append(len(y))
            return super().fit(X, y)

    cursor = EstimatorCriterion(Counted(), cv=5).bind(DATA)
    subsets = [np.array([k, k + 1]) for k in range(4)]
    alone = [EstimatorCriterion(GaussianNB(), cv=5).bind(DATA).evaluate(members) for members in subsets]
    both = cursor.glimpse(subsets, 1)
    scores = [[score for score, _ in cursor._glimpsed[one.tobytes()].values()] for one in subsets]
    assert np.all(both == [np.mean(row) for row in scores])
    assert len(fits) == 8
    assert cursor.glimpse(subsets, 0).tolist() == [row[0] for row in scores]
    assert cursor.evaluate_many(subsets[:2]).tolist() == alone[:2]
    assert len(fits) == 14
    cursor.move(Direction.ADD, 9)
    cursor.glimpse(subsets[:1], 0)
    assert len(fits) == 15  # what was known elsewhere is forgotten


@pytest.mark.parametrize("estimator", [GaussianNB(), RandomForestClassifier(30, max_depth=2, random_state=0)])
def test_the_last_fold_comes_first_after_a_step_and_values_stay_the_same(estimator):
    criterion, members = EstimatorCriterion(estimator, cv=3), np.array([0, 9, 12])
    exact = criterion.bind(DATA).evaluate(members)
    others = [np.array([0, 9, 13]), np.array([0, 9, 14])]
    for standing in ([], [9], [0, 9], [0, 9, 15]):
        cursor = criterion.bind(DATA)
        cursor.jump(np.array(standing, dtype=np.intp))
        first = int(cursor._looks_first)  # the first rung with a whole fit
        cursor.glimpse([members], first)
        whole = [fit for fit in cursor._glimpsed[members.tobytes()] if fit < 3]
        assert whole == [-len(standing) % 3]
        compared = cursor.compare([members], first, others, 1.0)
        if standing == [0, 9]:
            assert cursor.peek(Direction.ADD, np.array([12]))[0] == exact
        assert cursor.evaluate(members) == exact
        afresh = criterion.bind(DATA)
        afresh.jump(np.array(standing, dtype=np.intp))
        assert np.array_equal(afresh.compare([members], first, others, 1.0), compared)


def test_a_criterion_without_rungs_says_so():
    class Flat(Criterion):
        def bind(self, data):
            return FlatCursor(data)

    class FlatCursor(Cursor):
        def evaluate(self, members):
            return 0.0

    with pytest.raises(NotImplementedError, match="FlatCursor has no rungs"):
        Flat().bind(DATA).glimpse([np.array([0])], 0)


def test_racing_is_auto_or_none_everywhere():
    assert SearchSettings(racing="none").racing is None
    assert SearchSettings.from_dict(SearchSettings(racing=None).to_dict()).racing is None
    with pytest.raises(InputError, match="`racing` must be 'auto' or None, got True"):
        SearchSettings(racing=True)
    chosen = {"method": "SFS", "n_features_to_select": 3, "cv": 5, "native": False}
    selector = SequentialSelector(GaussianNB(), racing=None, **chosen).fit(X, Y)
    assert selector.anatomy_.spared_share == 0.0
    assert SequentialSelector(GaussianNB(), **chosen).fit(X, Y).anatomy_.spared_share > 0.2
