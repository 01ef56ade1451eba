"""A player's side of a table's lobby: people, talk, and pipes to one of them through the table."""
