"""Class means and covariances of many features at once, and the scores of normal models on held-out samples."""
