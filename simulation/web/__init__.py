"""Simulations as a service: asked for by POST, done by one worker at a time, and looked at under a
link.
"""
