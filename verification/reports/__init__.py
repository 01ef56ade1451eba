"""Reports of a search for attacks: sentences, a chart of messages, and a match that can be
replayed.
"""
