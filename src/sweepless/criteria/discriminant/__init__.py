"""Linear and quadratic discriminant analysis by cross-validation, and stepwise discriminant analysis."""
