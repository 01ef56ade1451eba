"""Tests of runs of cards and their sale."""
