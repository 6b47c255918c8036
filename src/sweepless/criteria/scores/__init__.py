"""What the predictions of a model are worth, as scikit-learn's scores define it."""
