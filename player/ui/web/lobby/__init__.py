"""The lobby of the page: which tables there are, a table of one's own, and where a person goes from
there.
"""
