"""A trade between two people (docs/protocol, 26): what they say, what they sign, and what must be
on disk before.
"""
