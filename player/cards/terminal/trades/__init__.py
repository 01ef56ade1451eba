"""Parts of a trade at the command line: what lies on the table, what was agreed before, and
letters.
"""
