"""The page of a person's cards: binder, trade window, decks, creators, alarms."""
