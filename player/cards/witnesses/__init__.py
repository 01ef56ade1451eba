"""Requests to the witnesses that creators of cards name."""
