"""Strands: the steps of each role of a protocol, and the strands of several sessions.

`channels` replaces channels by encryption. `role_knowledge` calculates the parts of messages that a role
can open and build. `roles` calculates the messages that a role sends and checks. `scenario` makes
the strands of some sessions and the intruder's initial knowledge. After F. J. Thayer Fábrega, J. C.
Herzog, J. D. Guttman, "Strand spaces: proving security protocols correct", Journal of Computer
Security 7 (1999).
"""
