"""What a sampled step needs: statistics, order statistics and draws over a million features."""

FEW_FEATURES = 1 << 12
"""Up to here plain NumPy is as fast as the passes that are made for a million features."""
