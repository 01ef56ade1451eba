"""Merge of two sets of records. They are compared range by range, so that common records are not
sent (docs/protocol, 25).
"""
