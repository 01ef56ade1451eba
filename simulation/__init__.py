"""Simulated rounds of Ligretto: models, machines, reports, and a web service that runs
simulations.
"""
