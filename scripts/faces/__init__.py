"""Drawings of the set of elements: fifty faces, made by `scripts/run scripts.faces` and shipped as
files.
"""
