"""The channel between two programs: Noise XX, and the records on it."""
