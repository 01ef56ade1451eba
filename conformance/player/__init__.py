"""Cases for players, and the kit's own table for them."""
