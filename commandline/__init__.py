"""Common code of the command lines of table and player. It is no part of `protocol`, which has no
command line.
"""
