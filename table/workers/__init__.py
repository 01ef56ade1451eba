"""Worker processes that fold matches for a table.

The front process has sockets, sessions, clocks, signer and store. A worker has no key. It folds
entries, and has the secrets of `layered` deals of its own matches only.
"""
