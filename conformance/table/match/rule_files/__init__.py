"""Cases for games by rule files: the file, decks that only their owners know, and their dealing."""
