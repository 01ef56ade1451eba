"""Ports at which nobody listens."""

import socket


def closed_port(host: str = "127.0.0.1") -> int:
    """One that was bound here, and is not any more."""
    with socket.create_server((host, 0)) as server:
        port: int = server.getsockname()[1]
    return port
