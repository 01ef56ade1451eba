"""Cases for tables, and the kit's own players for them."""
