"""Cases about the posts of seats, and about missing posts."""
