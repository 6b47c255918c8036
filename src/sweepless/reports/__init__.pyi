from sweepless.reports.displays.anatomy import AnatomyDisplay as AnatomyDisplay
from sweepless.reports.displays.curve import SubsetCurveDisplay as SubsetCurveDisplay
from sweepless.reports.displays.scores import FeatureScoreDisplay as FeatureScoreDisplay
from sweepless.reports.displays.stability import StabilityDisplay as StabilityDisplay
from sweepless.reports.displays.trajectory import TrajectoryDisplay as TrajectoryDisplay
from sweepless.reports.report import render_report as render_report
from sweepless.reports.rundir import read_run as read_run
