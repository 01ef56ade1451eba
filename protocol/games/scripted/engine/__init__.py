"""What rules bring about: the state that everybody knows, and how it moves on."""
