"""Witnesses: a witness signs one trade for each slot and never a second; its proofs, and proofs
that it lied.
"""
