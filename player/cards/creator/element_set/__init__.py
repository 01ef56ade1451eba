"""The set of fifty element cards that comes along, and its faces."""
