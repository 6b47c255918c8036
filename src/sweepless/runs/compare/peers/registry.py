"""The names of the peers."""

from __future__ import annotations

from collections.abc import Mapping

from sweepless.runs.compare.peers.automatic import automatic
from sweepless.runs.compare.peers.base import Peer
from sweepless.runs.compare.peers.filters import f_test, mutual_information, relevant_not_redundant
from sweepless.runs.compare.peers.installed import best_subset, boruta, is_installed, relieff
from sweepless.runs.compare.peers.models import Elimination, forest, l1

AUTO, F_TEST, INFORMATION, MRMR, ELIMINATION = "auto", "SelectKBest F", "SelectKBest MI", "mRMR", "RFE"
L1, FOREST, RELIEF, BORUTA, ABESS = "L1", "forest", "ReliefF", "Boruta", "abess"

_PEERS: dict[str, Peer] = {
    AUTO: automatic,
    F_TEST: f_test,
    INFORMATION: mutual_information,
    MRMR: relevant_not_redundant,
    L1: l1,
    FOREST: forest,
    RELIEF: relieff,
    BORUTA: boruta,
    ABESS: best_subset,
}
_PACKAGES = {RELIEF: "skrebate", BORUTA: "boruta", ABESS: "abess"}


def peer(name: str, options: Mapping[str, int]) -> Peer:
    """Return the peer of a name, with its options."""
    return Elimination(options["step"]) if name == ELIMINATION else _PEERS[name]


def missing_package(name: str) -> str | None:
    """Return the package that a peer needs and that is not installed, if there is one."""
    package = _PACKAGES.get(name)
    return None if package is None or is_installed(package) else package
