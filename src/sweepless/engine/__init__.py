"""Every random draw, and the order in which sums are folded: portable or reference, chosen once."""
