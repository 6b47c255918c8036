from sweepless.selectors.cost import CostEstimate as CostEstimate
from sweepless.selectors.outcome import Coverage as Coverage
from sweepless.selectors.outcome import Subset as Subset
from sweepless.selectors.progress import ProgressBar as ProgressBar
