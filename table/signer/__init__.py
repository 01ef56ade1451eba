"""What a table asks of its key, and of whom: the key at hand, or a process that looks what it
signs.
"""
