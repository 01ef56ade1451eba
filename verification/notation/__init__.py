"""Protocols in writing: the subset of Alice-and-Bob notation that is read here
(docs/verification.md).
"""
