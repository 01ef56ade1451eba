"""Options of sockets."""

import socket

from protocol.limits import KEEPALIVE_SECONDS, MAX_UNSENT, WATCH_SECONDS


def keep_alive(line: socket.socket | None) -> None:
    """Notice that the other machine, or the way to it, is gone, even while nobody has anything to
    say.
    """
    if line is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_SECONDS)


def set_peer_timeout(line: socket.socket | None) -> None:
    """Notice that within `WATCH_SECONDS`, where there is somebody else to go to. Only Linux can be
    told so.
    """
    if line is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, WATCH_SECONDS // 2)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, WATCH_SECONDS - WATCH_SECONDS // 2)
        # for what is under way
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, WATCH_SECONDS * 1000)


def limit_unsent(line: socket.socket | None) -> None:
    """Have the system take no more than it can soon send: what it has taken, nothing can overtake
    or drop.
    """
    if line is not None and hasattr(socket, "TCP_NOTSENT_LOWAT"):  # not on Windows
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_UNSENT)
