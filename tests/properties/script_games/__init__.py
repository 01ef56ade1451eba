"""Games by rule files over all dealings: the same random choices give the same course, whichever
program runs the rules.
"""
