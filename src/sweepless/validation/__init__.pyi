from sweepless.validation.consensus import Consensus as Consensus
from sweepless.validation.consensus import agreement as agreement
from sweepless.validation.permutation import PermutationReference as PermutationReference
from sweepless.validation.repeats import Repetition as Repetition
