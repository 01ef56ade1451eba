"""Runs of cards: numbers of copies, sealed in packs before the first sale; and sales, decided by a
joint coin.
"""
