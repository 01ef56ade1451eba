"""A trade between two people (docs/protocol, 26): messages, signatures, and records that must be on
disk first.
"""
