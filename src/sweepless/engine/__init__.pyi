from sweepless.engine.generator import PortableRng as PortableRng
from sweepless.engine.generator import ReferenceRng as ReferenceRng
from sweepless.engine.generator import Rng as Rng
