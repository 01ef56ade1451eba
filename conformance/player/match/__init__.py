"""Cases about a match that a table shows to its player."""
