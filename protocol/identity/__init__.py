"""Identities: keys and their files, names, and words that people read to each other."""
