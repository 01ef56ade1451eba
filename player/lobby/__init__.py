"""Meeting others at a table: who is in its lobby, what they say, and a line of one's own to one of
them through it.
"""
