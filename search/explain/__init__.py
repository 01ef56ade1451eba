"""A search as a tree on paper: what was looked at, what it came to, and which branches were cut."""
