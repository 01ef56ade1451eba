"""A table and its standby: what one of them says the other has, whatever is lost, killed or
promoted on the way.
"""
