from sweepless.runs.compare.request import Request as Request
from sweepless.runs.compare.run import compare as compare
