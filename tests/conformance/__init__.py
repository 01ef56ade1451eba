"""The conformance kit: checks any table or player against the specification, from outside, over TCP."""
