"""One match: its first entry, the fold over its log, the clock, the log and its file."""
