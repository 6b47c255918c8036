"""Naive Bayes, Gaussian and multinomial."""
