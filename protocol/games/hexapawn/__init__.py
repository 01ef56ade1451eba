"""Hexapawn, "miniature chess" (M. Gardner, 1962): a row of pawns each."""
