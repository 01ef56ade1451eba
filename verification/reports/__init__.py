"""What a search for attacks came to: in sentences, as a chart of messages, and as a match that
anybody can replay.
"""
