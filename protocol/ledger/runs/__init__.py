"""Runs of cards: how many there are of each, sealed in packs before one is sold; and the sale, with
a coin of both.
"""
