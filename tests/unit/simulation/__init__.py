"""Tests of simulated rounds of Ligretto."""
