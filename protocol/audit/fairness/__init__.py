"""Whether seats fared alike in time: what a log says of late entries, and what two seats' arrival
times say.
"""
