"""Verification: search security protocols for attacks within a bound of sessions, and play a game
against a protocol.

The modules from the bottom up: `terms` has messages, `unification` solves equations between them,
`protocol_model` has a protocol as its author wrote it, and `strands` has the actions of each role.
`notation` parses the text of a protocol; it does not depend on the search. `engine` searches a
protocol; it does not depend on the notation. `game` has the rules of the game `intruder`. `reports`
prints verdicts.
"""
