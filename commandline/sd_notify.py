"""State of a program, told to the service manager that has started it: sd_notify(3), as systemd's
`Type=notify` wants it.

That is one datagram to a Unix socket, which is less than a library for it would be.
"""

import logging
import socket
import sys
from collections.abc import Mapping

log = logging.getLogger(__name__)

READY, STOPPING = "READY=1", "STOPPING=1"


def tell(state: str, environment: Mapping[str, str]) -> None:
    """Say so to the socket that `NOTIFY_SOCKET` names, if any; a program that cannot say it runs
    all the same.
    """
    address = environment.get("NOTIFY_SOCKET", "")
    if not address or sys.platform == "win32":  # which has no such sockets
        return
    if address.startswith("@"):  # of Linux: a name that is in no folder
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.connect(address)
            line.sendall(state.encode())
    except (OSError, ValueError) as error:  # the latter for a name that no socket can have
        log.warning(
            "whoever started the program could not be told %s (%s)", state, type(error).__name__
        )
