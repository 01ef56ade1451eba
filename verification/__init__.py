"""Verification: search security protocols for attacks within a bound of sessions, and play against
them.

From the bottom: `terms` (messages), `unification`, `protocol_model` (a protocol as people write
it), `strands` (actions of its roles). `notation` parses a `Protocol` and does not know the search.
`engine` searches a protocol and does not know its text. `game` is the game `intruder`; `reports`
shows verdicts.
"""
