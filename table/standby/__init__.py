"""A standby: one other machine that has every transaction of a table's journal before anybody hears
of it.
"""
