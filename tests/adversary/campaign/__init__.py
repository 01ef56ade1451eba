"""Campaign of random matches that combine lies, leavers, silent and slow seats, restarts, colluding
seats and lying tables.
"""
