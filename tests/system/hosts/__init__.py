"""Several hosts of one table as processes, over real NATS servers, with bots at them, while things
go wrong.
"""
