"""Cases for players, and what they need: a table of the kit's own."""
