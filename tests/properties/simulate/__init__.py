"""Worlds in one process, from one seed: a table, its players, hostile lines between them. See
docs/simulation.md.
"""
