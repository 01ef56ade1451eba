"""Options of sockets."""

import socket

from protocol.limits import KEEPALIVE_SECONDS, MAX_UNSENT


def keep_alive(line: socket.socket | None) -> None:
    """Notice that the other machine, or the way to it, is gone, even while nobody has anything to say."""
    if line is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_SECONDS)


def bound_unsent(line: socket.socket | None) -> None:
    """Have the system take no more than it can soon send: what it has taken, nothing can overtake or drop."""
    if line is not None and hasattr(socket, "TCP_NOTSENT_LOWAT"):  # not on Windows
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_UNSENT)
