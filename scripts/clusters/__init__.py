"""What several hosts of one table carry, with matches that were recorded beforehand:
`scripts/cluster --help`.
"""
