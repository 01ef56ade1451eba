"""Games by rule files over all dealings: the same chance gives the same course, whoever runs the
rules.
"""
