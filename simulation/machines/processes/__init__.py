"""Machines in processes of their own, connected by a NATS server."""
