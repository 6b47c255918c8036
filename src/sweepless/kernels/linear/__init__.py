"""Ridge regression and least squares."""
