"""Cases for programs that play without a table, and what they need: the other player, who is the
kit's own.
"""
