"""The conformance kit under test: what it must find, in tables that are broken on purpose, and what
it must not.
"""
