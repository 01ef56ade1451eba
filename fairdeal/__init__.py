"""One door for people to all the programs: it starts them, and does nothing itself."""
