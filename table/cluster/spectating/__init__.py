"""Who watches at a host that has not got the match: it is read from the store, as far as its owner
has signed it.
"""
