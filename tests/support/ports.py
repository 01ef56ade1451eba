"""Ports for programs that listen later, or again, and ports at which no program listens."""

import os
import socket
from contextlib import suppress

# below the range from which systems choose a free port
FIRST, COUNT = 10_000, 20_000
_next = os.getpid() * 997 % COUNT  # so that parallel workers begin far apart


def free_port() -> int:
    """Return a free port. The system gives it to no other program before its use, or while a server
    restarts.
    """
    global _next
    for _ in range(COUNT):
        _next = (_next + 1) % COUNT
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", FIRST + _next))
            return FIRST + _next
    raise AssertionError("there are always more")


def free_ports(count: int) -> list[int]:
    """Return `count` free ports."""
    return [free_port() for _ in range(count)]


def closed_port() -> int:
    """Return a port at which no program listens."""
    return free_port()
