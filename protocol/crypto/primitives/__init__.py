"""Cryptographic primitives: the one seam between fairdeal and the libraries that compute them.

Each module here is one primitive over bytes. It checks what the libraries do not check, once, and
says so in its docstring; callers see no type and no exception of a library. Behind it stands a
*backend*, which computes and checks nothing. `native` is the backend of an ordinary Python
(`cryptography`, PyNaCl, rbcl). Another one is a package with modules of the same names and
functions (`backend.py` has their types), and a line in `_BACKENDS`.

Nothing outside of a backend imports a cryptographic library (import-linter checks this), except
for `gmpy2` and pycryptodome's search for primes in `protocol.crypto.residue`.
"""
