"""The private half of one seat: its secrets, its choices, and what it agreed to."""
