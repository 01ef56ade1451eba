"""Cards that are owned without a server: signed records, and who owns what by a set of them
(docs/protocol, 24).
"""

SUFFIX = ".cards"  # of a file of records
