"""A trade over lines: what is said arrives once and in order, whichever of them breaks."""
