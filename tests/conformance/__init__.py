"""Tests of the conformance kit: errors that it must find in tables broken on purpose, and correct
tables that must pass.
"""
