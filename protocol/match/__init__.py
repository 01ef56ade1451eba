"""A match: its first entry, the fold over its log, its clock, its log and its log file."""
