"""Edition 1 of poker: betting, pots and ties come from pokerkit. Needs the extra `poker`.

The rules are a copy that stays as it was, for matches begun under this edition and for their logs.
"""
