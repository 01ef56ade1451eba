"""Stores on other machines that a table may keep its matches in, so that any of its hosts can go on
with them.
"""
