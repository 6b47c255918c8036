from sweepless.runs.compare.plan import Request as Request
from sweepless.runs.compare.run import compare as compare
