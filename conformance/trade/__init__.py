"""Cases for programs that trade cards: over lines, and by letters."""
