"""Pages in XHTML, built as trees: no text of a user becomes markup, and every page is
well-formed.
"""
