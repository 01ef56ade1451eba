"""Choices of a person whose cards to play against."""

ANY = "any"  # cards by any creator
TRUSTED = "trusted"  # only where all creators in the terms are trusted
OPPONENTS = (ANY, TRUSTED)
