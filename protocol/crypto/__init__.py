"""Cryptography of the protocol: hashing, groups, envelopes, proofs and shuffles."""
