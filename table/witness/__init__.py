"""The table as a witness of trades in cards: what people offer it, and what it answers once that is
on disk.
"""
