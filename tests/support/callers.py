"""Clients with a bare socket that send nothing."""

import socket


def hung_up(caller: socket.socket) -> bool:
    """Check that the other side has disconnected, after any last bytes."""
    caller.setblocking(False)
    try:
        while caller.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True
