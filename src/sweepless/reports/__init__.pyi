from sweepless.reports.comparison.report import read_comparison as read_comparison
from sweepless.reports.displays.anatomy import AnatomyDisplay as AnatomyDisplay
from sweepless.reports.displays.curve import SubsetCurveDisplay as SubsetCurveDisplay
from sweepless.reports.displays.scores import FeatureScoreDisplay as FeatureScoreDisplay
from sweepless.reports.displays.stability import StabilityDisplay as StabilityDisplay
from sweepless.reports.displays.trajectory import TrajectoryDisplay as TrajectoryDisplay
from sweepless.reports.run_page import render_runs as render_runs
from sweepless.reports.rundir import read_run as read_run
