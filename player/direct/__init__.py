"""Two people, no table: one match that each side keeps for itself, over letters or a connection."""
