"""Protocols as games against an intruder: terms, descriptions, bounded sessions, and the search for
an attack.

From the bottom: `terms` (messages) and `unify`, `description` (a protocol as people write it down),
`strands` (what its roles do). The parser makes a `Protocol` and knows nothing of the search;
`engine` searches one and knows nothing of text.
"""
