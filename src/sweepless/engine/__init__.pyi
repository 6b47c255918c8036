from sweepless.engine.folds import FastFold as FastFold
from sweepless.engine.folds import Fold as Fold
from sweepless.engine.folds import SequentialFold as SequentialFold
from sweepless.engine.generator import Rng as Rng
from sweepless.engine.portable import PortableRng as PortableRng
from sweepless.engine.reference import ReferenceRng as ReferenceRng
