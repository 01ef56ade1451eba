"""Asking the witnesses that the creators of cards name, where they can be reached."""
