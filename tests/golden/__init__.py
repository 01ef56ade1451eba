"""Whole matches as text, in rule terms: who knew, did and scored what. They must not change unless
the rules do.
"""
