"""Runs of cards and their sale."""
