"""Players that are programs: a bot is given the view of its seat and picks from what is on
offer.
"""
