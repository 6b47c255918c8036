from sweepless.runs import compare as compare
from sweepless.runs.execute import Summary as Summary
from sweepless.runs.execute import run_campaign as run_campaign
from sweepless.runs.export import long_table as long_table
from sweepless.runs.spec import parse_spec as parse_spec
from sweepless.runs.spec import read_spec as read_spec
from sweepless.schema.spec import Spec as Spec
