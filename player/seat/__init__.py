"""The private half of one seat, and the match that it follows."""
