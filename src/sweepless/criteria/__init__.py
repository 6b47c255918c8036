"""What a subset is worth."""
