"""Cryptographic primitives: the only interface between fairdeal and cryptographic libraries.

Each module is one primitive over bytes. The module makes the checks that libraries omit, and its
docstring lists them. Callers see no types and no exceptions of a library. Each module calls a
*backend*, which computes and checks nothing. `native` is the backend of an ordinary Python
(`cryptography`, PyNaCl, rbcl). Another backend is a package with modules of the same names and
functions (`backend.py` has their types), and a line in `_BACKENDS`.

Only backends import a cryptographic library, which import-linter checks. The exceptions are `gmpy2`
and pycryptodome's search for primes in `protocol.crypto.residue`.
"""
