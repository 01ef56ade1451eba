"""What a match may show to its player."""
