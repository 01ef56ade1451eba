"""The matches game: take one, two or three from a heap."""
