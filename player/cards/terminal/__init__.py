"""Collecting at the command line: `fairdeal cards`, its answers, and trades with one other
person.
"""
