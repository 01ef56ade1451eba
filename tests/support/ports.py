"""Ports for who listens later, or again, and ports at which nobody does."""

import os
import socket
from contextlib import suppress

# below those that systems give to whoever asks for any: nobody gets one by chance
FIRST, COUNT = 10_000, 20_000
_next = os.getpid() * 997 % COUNT  # workers that run beside each other begin far apart


def free_port() -> int:
    """One that nobody has; nor does the system give it away before it is used, or while a server is
    restarted.
    """
    global _next
    for _ in range(COUNT):
        _next = (_next + 1) % COUNT
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", FIRST + _next))
            return FIRST + _next
    raise AssertionError("there are always more")


def free_ports(count: int) -> list[int]:
    """So many."""
    return [free_port() for _ in range(count)]


def closed_port() -> int:
    """One at which nobody listens."""
    return free_port()
