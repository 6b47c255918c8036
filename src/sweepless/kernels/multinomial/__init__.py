"""The Bhattacharyya distance between multinomial models."""
