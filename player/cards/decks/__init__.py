"""Named decks: what is in them, and what speaks against playing them."""
