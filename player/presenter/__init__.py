"""What a person sees: lines of news, and the terminal."""
