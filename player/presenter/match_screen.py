"""MatchScreen: what a program needs of a screen, whichever it is."""

from typing import Protocol

from player.client import events
from player.client.client_base import ClientBase
from player.client.outcome import Outcome
from protocol.view.phrase import Phrase


class MatchScreen(Protocol):
    """Shows the matches of a client, one after another."""

    @property
    def client(self) -> ClientBase | None:
        """The client that the screen shows."""

    @property
    def stopped(self) -> bool:
        """The person, or the program that runs the screen, wants it to end."""

    def follow(self, client: ClientBase, link: str | None = None) -> None:
        """Show this client from now on. It ends at once if the screen was stopped before.

        `link`: the link by which other people come to the same place.
        """

    def hear(self, event: events.Event) -> None:
        """Show what has happened."""

    def stop(self) -> None:
        """End, and keep the match: Ctrl-C, Ctrl-D, SIGTERM."""

    async def again(self) -> bool:
        """Ask whether there shall be another match. False where nobody can be asked."""

    def ended(self, outcome: Outcome) -> None:
        """Say how the match ended."""

    def tell(self, told: Phrase, always: bool = False) -> None:
        """Say a sentence that names nobody at the table. `always`: also where little is said."""
