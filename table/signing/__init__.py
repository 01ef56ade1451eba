"""The signer process: a table's key with a memory, so that no host, nor two of them, can have it
sign two heads.
"""
