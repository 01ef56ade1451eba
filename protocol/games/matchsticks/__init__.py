"""Game of matches: take one, two or three from a heap."""
