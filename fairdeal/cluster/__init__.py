"""`fairdeal cluster`: what an operator of several hosts asks and says, and a demonstration of them
on one machine.
"""
