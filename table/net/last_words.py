"""Refusals to newcomers for whom a table has no place, before any handshake."""

from protocol.codes import Code
from protocol.session.session import turned_away
from table.net.admission import Refusal

# on a WebSocket port, before the WebSocket stands
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def last_word(refusal: Refusal) -> bytes:
    """Return the frame of a refusal, which tells if the reason lies in the newcomer's address."""
    return turned_away(Code.TOO_MANY_HERE if refusal.of_address else Code.TOO_MANY)
