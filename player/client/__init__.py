"""Playing at a table: the message flow, the match as the client lives it, and coming back."""
