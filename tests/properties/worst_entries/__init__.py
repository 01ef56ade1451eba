"""Search for the worst entry that is taken, in games whose rules or messages strangers write."""
