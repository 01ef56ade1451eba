"""Cases for tables, and what they need: people of the kit's own."""
