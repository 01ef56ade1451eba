"""Creation and sale of cards at the command line."""
