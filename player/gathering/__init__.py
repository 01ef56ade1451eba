"""A table's lobby as a place to meet: the visit, what a terminal shows of it, and `fairdeal
lobby`.
"""
