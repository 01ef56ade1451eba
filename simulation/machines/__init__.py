"""The machines of the paper: a coordinator and a process for each player, over any kind of
connection.
"""
