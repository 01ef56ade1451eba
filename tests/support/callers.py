"""Who calls over a bare socket, and says nothing."""

import socket


def hung_up(caller: socket.socket) -> bool:
    """Whether nobody is at the other end any more, whatever was said last."""
    caller.setblocking(False)
    try:
        while caller.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True
