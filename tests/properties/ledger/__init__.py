"""Random histories of cards, by honest people and by cheats, and the laws that hold in all of
them.
"""
