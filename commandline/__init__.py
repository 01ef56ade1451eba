"""What the command lines of table and player have in common. Not of the protocol, which knows no
command line.
"""
