"""Cheats on purpose: one small class for each, with the code and the moment it must be named by.

All derive from `player.seat.seat.Seat` and take the same arguments, so that they run offline and in
a real client.
"""
