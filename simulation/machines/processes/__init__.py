"""The machines in processes of their own, which reach one another through a NATS server."""
