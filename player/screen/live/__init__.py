"""Games in which seats do not wait for one another, on a terminal: a picture that changes, keys
that act at once.
"""
