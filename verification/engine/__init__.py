"""The search for an attack on a protocol, within a bound of sessions.

`solver` solves what the intruder must be able to say, `search` goes through all orders of events of
the strands, `trace` makes an attack ground, and `deduction`, which knows nothing of the solver,
derives every message of it.
"""
