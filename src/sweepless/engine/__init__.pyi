from sweepless.engine.folds import FastFold as FastFold
from sweepless.engine.folds import Fold as Fold
from sweepless.engine.folds import SequentialFold as SequentialFold
from sweepless.engine.generator import PortableRng as PortableRng
from sweepless.engine.generator import ReferenceRng as ReferenceRng
from sweepless.engine.generator import Rng as Rng
