"""A table on several hosts: who is there, who goes on with which match, and where people find
it.
"""
