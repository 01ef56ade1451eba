"""A part of a person's program that shares the connection of a seat while it waits at a table."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from protocol.codes import Code

Post = Callable[..., None]  # sends a message: its name and values


class Companion(Protocol):
    """The person among the people of the lobby, while the own seat waits for others."""

    def begin(self, post: Post) -> None:
        """Use this connection from now on: it waits at a table."""

    def end(self, post: Post) -> None:
        """Use this connection no more: it has ended, or the match begins."""

    def received(self, name: str, values: Sequence[Any]) -> bool:
        """Take a message of the table; False if it is none of the lobby. Raises: RemoteError."""

    def refused(self, code: Code) -> None:
        """Take the table's refusal of a request."""
