"""Pages in XHTML: built as trees, so that what anybody has written is never markup, and every page
is well-formed.
"""
