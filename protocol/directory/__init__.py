"""Directories of tables: reports that tables sign, and lists that directories sign. Pure."""
