"""Ligretto: a deck for each seat, no turns, first come, first served (docs/protocol/23)."""
