"""A witness: who signs one trade for each slot and never a second, what it proves, and what proves
that it lied.
"""
