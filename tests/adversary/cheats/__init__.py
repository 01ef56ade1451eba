"""Cheats: one small class each, with the error code and the time at which it must be named.

Each class derives from `player.client.seat.Seat` and takes the same arguments. It therefore runs
offline and in a real client.
"""
