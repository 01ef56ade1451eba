"""A server for browsers, within bounds: by which name it may be asked, what a request is, and how
one is refused.
"""
