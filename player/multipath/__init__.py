"""Several lines between two people at once: one match or trade moves to the better one while it
runs, and back.
"""
