"""What searches are compared with: other ways to choose features, each from a training part alone."""
