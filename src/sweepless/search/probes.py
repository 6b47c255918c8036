"""Random probes and their values, packed: a million probes of 500 features fit in a gigabyte."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values


class ProbeLog:
    """Collects valued probes block by block, and contrasts those with each feature and those without it."""

    def __init__(self, n_features: int, drop_duplicates: bool) -> None:
        self.n_features = n_features
        self._code = np.min_scalar_type(n_features)  # as narrow as the feature numbers allow
        self._seen: set[tuple[int, bytes]] | None = set() if drop_duplicates else None
        self._members: list[Features] = []
        self._lengths: list[Counts] = []
        self._values: list[Values] = []

    def add(self, probes: list[Features], values: Values) -> None:
        if self._seen is not None:
            kept = [k for k, probe in enumerate(probes) if self._is_new(probe)]
            probes, values = [probes[k] for k in kept], values[kept]
        if probes:
            self._members.append(np.concatenate(probes).astype(self._code))
            self._lengths.append(np.array([len(probe) for probe in probes]))
            self._values.append(values)

    def scores(self, normalised: bool) -> tuple[Values, Mask]:
        """Return DAF0 or DAF1 of every feature, and which are valid: seen both in and out of probes."""
        values = np.concatenate(self._values)
        centred = values - values.mean()  # a constant does not change the contrast and spares digits
        n_in: Counts = np.sum([np.bincount(members, minlength=self.n_features) for members in self._members], axis=0)
        n_out = len(values) - n_in
        sum_in = self._sums(centred)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean_in, mean_out = sum_in / n_in, (centred.sum() - sum_in) / n_out
            scores = mean_in - mean_out
            valid = (n_in > 0) & (n_out > 0)
            if normalised:
                square_in = self._sums(centred**2)
                rounding = 1e-12 * (centred**2).mean()  # a difference of squares is never quite zero
                deviation_in, deviation_out = (
                    np.sqrt(np.where(variance > rounding, variance, 0.0))
                    for variance in (
                        square_in / n_in - mean_in**2,
                        ((centred**2).sum() - square_in) / n_out - mean_out**2,
                    )
                )
                spread = (n_in * deviation_in + n_out * deviation_out) / len(values)
                valid &= spread > 0
                scores = scores / spread
        return np.where(valid, scores, 0.0), valid

    def _sums(self, terms: Values) -> Values:
        """Sum one term per probe over the probes with each feature, one after the other as drawn."""
        sums = np.zeros(self.n_features)
        start = 0
        for members, lengths in zip(self._members, self._lengths, strict=True):
            stop = start + len(lengths)
            np.add.at(sums, members, np.repeat(terms[start:stop], lengths))
            start = stop
        return sums

    def _is_new(self, probe: Features) -> bool:
        assert self._seen is not None
        key = (len(probe), probe.tobytes())
        if key in self._seen:
            return False
        self._seen.add(key)
        return True
