from sweepless.selectors.consensus import Consensus as Consensus
from sweepless.selectors.consensus import agreement as agreement
from sweepless.selectors.outcome import Coverage as Coverage
from sweepless.selectors.outcome import Subset as Subset
from sweepless.selectors.permutation import PermutationReference as PermutationReference
from sweepless.selectors.pilot import CostEstimate as CostEstimate
from sweepless.selectors.progress import ProgressBar as ProgressBar
from sweepless.selectors.repeats import Repetition as Repetition
