"""The game `intruder`: one person controls the network of a protocol, carries all messages, and
tries to break a goal.
"""
