"""What a sampled step needs: statistics, order statistics and draws over a million features."""
