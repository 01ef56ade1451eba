"""Simulated worlds in one process, from one seed: a table, its players, faulty lines between them.
See docs/simulation.md.
"""
