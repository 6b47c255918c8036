"""Displays: what they draw, and that no words run into one another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.text import Text  # noqa: E402

from sweepless.reports.displays.anatomy import AnatomyDisplay  # noqa: E402
from sweepless.reports.displays.curve import SubsetCurveDisplay  # noqa: E402
from sweepless.reports.displays.panel import PanelDisplay  # noqa: E402
from sweepless.reports.displays.scores import FeatureScoreDisplay  # noqa: E402
from sweepless.reports.displays.stability import StabilityDisplay  # noqa: E402
from sweepless.reports.displays.trajectory import TrajectoryDisplay  # noqa: E402
from sweepless.validation.choice import choose  # noqa: E402
from sweepless.validation.consensus import agreement  # noqa: E402
from sweepless.validation.panel import PanelScores  # noqa: E402
from sweepless.validation.permutation import PermutationReference  # noqa: E402
from sweepless.validation.repeats import Repetition  # noqa: E402


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def words(display):
    """Return every visible text with its box; fail if two boxes overlap or one leaves the picture."""
    figure = display.figure_
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    outside = {
        tick.label1
        for axis in (display.ax_.xaxis, display.ax_.yaxis)
        for tick in axis.get_major_ticks()
        if not display.ax_.axison
        or not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }  # matplotlib keeps these, but does not draw them
    texts = [
        text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible() and text not in outside
    ]
    shown = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    inside = figure.bbox.padded(1)
    for text, box in shown:
        assert inside.x0 <= box.x0, text
        assert box.x1 <= inside.x1, text
        assert inside.y0 <= box.y0, text
        assert box.y1 <= inside.y1, text
    for (one, box), (two, other) in combinations(shown, 2):
        assert not box.padded(-1).overlaps(other.padded(-1)), f"{one!r} over {two!r}"
    return " | ".join(text for text, _ in shown)


def noise(sizes, values):
    shuffled = values[None, :] - 0.2 + 0.01 * np.arange(5)[:, None]
    return PermutationReference(sizes, values, shuffled, values.max(), shuffled.max(axis=1))


SIZES = np.arange(1, 31)
VALUES = 0.9 - 0.4 / SIZES


def test_the_curve_marks_the_chosen_size():
    display = SubsetCurveDisplay(SIZES, VALUES, chosen=12, value_name="accuracy").plot()
    line = display.ax_.lines[0]
    assert np.array_equal(line.get_xdata(), SIZES)
    assert np.array_equal(line.get_ydata(), VALUES)
    said = words(display)
    assert "Best accuracy of every subset size" in said
    assert "12 features chosen" in said
    assert f"{VALUES[11]:.3f} optimized" in said


def test_the_curve_with_everything_stays_readable():
    display = SubsetCurveDisplay(
        SIZES,
        VALUES,
        errors=np.full(30, 0.01),
        audited=VALUES - 0.001,  # lines that end together
        audited_errors=np.full(30, 0.02),
        chosen=30,
        reference={int(size): value + 0.001 for size, value in zip(SIZES, VALUES, strict=True)} | {99: 0.0},
        permutation=noise(SIZES, VALUES),
    ).plot()
    said = words(display)
    for expected in ("full search", "optimized", "audited: data", "shuffled labels", "0.886 audited"):
        assert expected in said
    assert len(display.ax_.collections) == 3  # the bands of the values, of the audit and of the noise
    assert max(display.ax_.get_xticks()) <= 30


def test_the_curve_goes_onto_given_axes():
    figure, axes = plt.subplots(1, 2)
    display = SubsetCurveDisplay([3], [0.5], chosen=3).plot(axes[1], color="black")
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    assert display.ax_.lines[0].get_color() == "black"


def test_the_trajectory_colours_the_directions():
    spent, sizes = [110, 120, 130, 135, 140], [1, 2, 3, 2, 3]
    directions = ["forward", "forward", "forward", "backward", "recall"]
    display = TrajectoryDisplay(spent, sizes, directions, n_before=100, best=2).plot()
    forward, backward, recall = display.ax_.collections
    assert [len(lines.get_segments()) for lines in (forward, backward, recall)] == [3, 1, 1]
    assert forward.get_segments()[0].tolist() == [[100, 0], [110, 1]]
    assert backward.get_segments()[0].tolist() == [[130, 3], [135, 2]]
    said = words(display)
    for expected in ("3 additions", "1 removal", "1 recall", "3 features chosen", "warm-up"):
        assert expected in said


def test_a_backward_trajectory_begins_with_all_features():
    display = TrajectoryDisplay([5, 9], [4, 3], ["backward", "backward"], start=5).plot()
    assert display.ax_.collections[0].get_segments()[0].tolist() == [[0, 5], [5, 4]]


def test_scores_are_sorted_and_selected_ones_stand_out():
    scores = np.array([0.1, 3.0, -1.0, 2.0, np.nan])
    names = ["a", "b", "c", "d" * 60, "e"]
    display = FeatureScoreDisplay(scores, [False, True, True, False, False], names).plot(n_top=3)
    labels = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert labels == ["b", "d" * 31 + "…", "a", "c"]
    said = words(display)
    assert "1 of the 3 highest selected" in said
    assert "1 selected with lower scores" in said
    assert "mean standardized value" in display.ax_.get_xlabel()


def test_selected_features_are_shown_however_low_their_scores():
    selected = np.arange(40) >= 33
    display = FeatureScoreDisplay(-np.arange(40.0), selected).plot(n_top=5)
    assert [int(tick.get_text()) for tick in display.ax_.get_yticklabels()] == [0, 1, 2, 3, 4, 33, 34, 35, 36, 37]
    assert "7 selected with lower scores" in words(display) and "(2 of them not shown)" in words(display)


@pytest.mark.parametrize("scores", [[-1.0, -3.0, -0.5], [1.0, -3.0, 0.5], [2.0, 1.0, 3.0]])
def test_no_line_of_a_score_crosses_a_label(scores):
    display = FeatureScoreDisplay(scores, [True, False, True]).plot()
    display.figure_.canvas.draw()
    inside = display.ax_.get_window_extent()
    assert all(tick.get_window_extent().x1 <= inside.x0 for tick in display.ax_.get_yticklabels())


def made_consensus():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    X[:, 5] = X[:, 4] + 0.01 * rng.normal(size=60)
    subsets = [[0, 1, 4], [0, 2, 5], [0, 1, 4], [0, 1, 5]]
    runs = [
        Repetition(seed, np.array(subset), 0.5, {3: np.array(subset)}, {3: 0.5}, None)
        for seed, subset in enumerate(subsets)
    ]
    return agreement(runs, X)


def test_stability_shows_frequencies_measures_and_groups():
    found = made_consensus()
    display = StabilityDisplay.from_consensus(found)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["0", "4", "1", "2"]
    own, others = display.ax_.containers
    assert [bar.get_width() for bar in own] == [1.0, 0.5, 0.75, 0.25]
    assert [bar.get_width() for bar in others] == [0.0, 0.5, 0.0, 0.0]
    said = words(display)
    assert "or 5" in said
    assert f"ATI {found.stability.ati:.2f}" in said
    assert f"Nogueira {found.stability.nogueira.value:.2f} [" in said


def test_anatomy_divides_every_bar():
    bars = {
        "evaluations": {"warm-up": 10, "additions": 3000, "removals": 0},
        "steps won by": {"softmax": 3, "floor": 1},
    }
    display = AnatomyDisplay(bars).plot()
    widths = [bar.get_width() for container in display.ax_.containers for bar in container]
    assert widths == pytest.approx([10 / 3010, 3000 / 3010, 0.75, 0.25])
    said = words(display)
    for expected in ("3,010 evaluations:", "10 warm-up (< 1 %)", "1 floor (25 %)"):
        assert expected in said
    assert "removals" not in said


def test_sizes_are_whole_numbers_on_the_axis():
    display = SubsetCurveDisplay(np.arange(1, 21), VALUES[:20]).plot()
    ticks = display.ax_.get_xticks()
    assert np.array_equal(ticks, np.round(ticks))


def choice(sizes=(1, 2, 5, 10, 20, 50), n_splits=6):
    rng = np.random.default_rng(0)
    level = np.array([0.8, 0.79, 0.6])[:, None, None, None] + 0.02 * np.arange(len(sizes))[:, None]
    scores = level + 0.01 * rng.normal(size=(3, n_splits, len(sizes), 2))
    scores[2, n_splits // 2 :] = np.nan  # out of the race
    scores[1, :, -1] = np.nan  # not reached
    members = ("ridge, strong penalty", "ridge, weak penalty", "nearest neighbor")
    return choose(PanelScores(members, sizes, ("linear", "trees"), scores, 0.5, 100, np.ones(3)))


@pytest.mark.parametrize("sizes", [(1, 2, 5, 10, 20, 50), (20,), (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)])
def test_a_panel_shows_every_member_and_marks_the_choice(sizes):
    chosen = choice(sizes)
    display = chosen.plot()
    said = words(display)
    assert isinstance(display, PanelDisplay) and display.ax_.get_xscale() == "log"
    drawn = [member.name for member in chosen.saved().members if set(member.scores) != {None}]
    assert all(member in said for member in drawn) and len(drawn) == (2 if sizes == (20,) else 3)
    assert f"honest score {chosen.honest_score:.3f} ± {chosen.honest_error:.3f}" in said
    assert list(display.ax_.get_xticks()) == list(sizes)
    marked = [line for line in display.ax_.get_lines() if line.get_markersize() == 9]
    assert [line.get_ydata()[0] for line in marked] == [chosen.honest_score]
    assert marked[0].get_xdata()[0] == pytest.approx(chosen.size, rel=0.05)


def test_a_panel_of_one_split_has_no_errors():
    chosen = choice(n_splits=1)
    assert repr(chosen) == f"PanelChoice(ridge, strong penalty, honest score {chosen.honest})"
    assert chosen.saved().honest_error is None and set(chosen.saved().members[0].errors) == {None}
    assert "±" not in words(PanelDisplay(chosen.saved()).plot()) and "±" not in str(chosen).splitlines()[-1]


def test_a_picture_of_a_panel_goes_into_given_axes():
    _, ax = plt.subplots()
    assert choice().plot(ax).ax_ is ax
