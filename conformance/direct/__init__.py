"""Cases for programs that play without a table, and the kit's own second player for them."""
