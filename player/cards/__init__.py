"""Owned cards of a person: records on disk, views for screens, decks, trades, and making cards."""
