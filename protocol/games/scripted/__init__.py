"""Games whose rules are a file that every seat's program reads and runs (docs/protocol, 33).

The file says which actions are legal and what they do. The engine in this package controls which
seat learns which card, and when. So no rule can look at a hidden face, and no seat can do anything
that the rules do not allow at all other seats.
"""
