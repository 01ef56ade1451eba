"""Games whose rules are a file: every seat's program reads it, and every seat's program runs it
(docs/protocol, 33).

The file says what may be done and what comes of it; who learns what, and when, the engine here sees
to: no rule can look at a hidden face, and no seat can do what the rules of all the others do not
allow.
"""
