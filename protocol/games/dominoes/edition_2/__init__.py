"""Edition 2 of dominoes: a line with two ends, and a stock that is drawn empty.

The rules are a copy that stays as it was, for matches begun under this edition and for their logs.
"""
