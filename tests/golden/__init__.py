"""Whole matches as text in terms of the rules: hands, actions and scores. The texts change only if
the rules do.
"""
