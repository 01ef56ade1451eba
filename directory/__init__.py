"""A directory: keeps a signed list of the tables that report to it."""
