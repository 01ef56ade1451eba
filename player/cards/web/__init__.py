"""The page of one's cards: binder, trade window, creators, alarms."""
