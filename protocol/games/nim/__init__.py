"""Nim: take any number from one row."""
