"""The intruder: a protocol as a game for one, who carries all messages and tries to break a
goal.
"""
