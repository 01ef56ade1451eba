"""`fairdeal cluster`: an operator's commands for several hosts, and a demonstration of several
hosts on one machine.
"""
