"""A gate of a page server that lets everybody in."""

from collections.abc import Callable
from http import HTTPStatus


class OpenGate:
    """Lets everybody in; visitors count for what `group` makes of their peers."""

    def __init__(self, group: Callable[[object], str] = str) -> None:
        self._group = group

    def admits(self, peer: object) -> None:
        """See `net.page.server.Gate`."""

    def address(self, peer: object) -> str:
        """See `net.page.server.Gate`."""
        return self._group(peer)

    def forwarded(self, said: str) -> HTTPStatus:
        """See `net.page.server.Gate`; nobody here is a proxy."""
        return HTTPStatus.BAD_REQUEST
