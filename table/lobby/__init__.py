"""The lobby as a place to meet: who is seen there, what they say, whom they call, and pipes between
two of them.
"""
