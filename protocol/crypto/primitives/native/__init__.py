"""Backend of an ordinary Python: `cryptography`, PyNaCl and rbcl. It computes, and checks
nothing.
"""
