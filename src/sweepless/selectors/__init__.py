"""The scikit-learn facade."""
