"""Protocol core, shared by table and players: pure functions over bytes, `now` and a random
source.
"""
