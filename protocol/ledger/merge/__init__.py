"""Two sets of records become one: compared range by range, so that what both have is not sent
(docs/protocol, 25).
"""
