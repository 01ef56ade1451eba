"""A rule file at work: its tree as closures, each step of them counted."""
