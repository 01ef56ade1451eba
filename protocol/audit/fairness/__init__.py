"""Fairness in time between seats: late entries in a log, and the arrival times of two seats."""
