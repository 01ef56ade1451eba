"""Options of sockets."""

import socket
import struct
import sys

from protocol.limits import KEEPALIVE_SECONDS, MAX_UNSENT, WATCH_SECONDS


def keep_alive(line: socket.socket | None) -> None:
    """Make the system notice that the peer's machine or the network path is gone, even on an idle
    line.
    """
    if line is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if sys.platform == "darwin":
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPALIVE, KEEPALIVE_SECONDS)
        elif hasattr(socket, "TCP_KEEPIDLE"):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_SECONDS)


def set_peer_timeout(line: socket.socket | None) -> None:
    """Make the system notice a lost peer within `WATCH_SECONDS`, for use where another host can be
    asked.

    Only Linux has this option.
    """
    if line is not None and sys.platform == "linux":
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, WATCH_SECONDS // 2)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, WATCH_SECONDS - WATCH_SECONDS // 2)
        # for data in transit
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, WATCH_SECONDS * 1000)


def limit_unsent(line: socket.socket | None) -> None:
    """Limit the bytes in the system's send buffer: bytes there can be neither overtaken nor
    dropped.
    """
    if line is not None and hasattr(socket, "TCP_NOTSENT_LOWAT"):  # not on Windows
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_UNSENT)


def drop_unsent_at_close(line: socket.socket | None) -> None:
    """Make the system drop what it has not sent when the socket is closed; else it keeps that for
    minutes, for a peer who does not read.
    """
    if line is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
