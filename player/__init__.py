"""The player: a thin client with one private half of every deal."""
