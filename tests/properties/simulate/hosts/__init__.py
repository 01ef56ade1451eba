"""Simulated worlds of several hosts of one table over one faulty store. See docs/simulation.md."""
