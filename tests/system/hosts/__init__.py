"""Several hosts of one table as processes over real NATS servers, with bots that play while faults
occur.
"""
