"""Load tests of one table on several hosts, with matches recorded beforehand: `scripts/cluster
--help`.
"""
