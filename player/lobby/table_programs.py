"""Programs that the app starts for tables: the person's own table, and bots for matches.

The package `fairdeal` starts them. The app knows only this protocol.
"""

from dataclasses import dataclass
from typing import Protocol

from protocol.identity.keys import JoinLink
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase


@dataclass(frozen=True)
class TableRequest:
    """A person's request to open a table for a game. `near`: only this computer reaches it.
    `terms`: what is played there; None: the game as it usually is. `invited`: a table that lets in
    only people with its link. `anew`: a table with another key and link; matches of the earlier one
    stay behind. `deck`: the deck that the person means to bring; empty: none in particular.
    """

    game: str
    near: bool = False
    terms: Terms | None = None
    invited: bool = False
    anew: bool = False
    deck: str = ""


@dataclass(frozen=True)
class OpenedTable:
    """The person's own table: its link, and sentences about its reach and its dealing. `page`: the
    link for guests with nothing but a browser, if the table serves them a page.
    """

    link: JoinLink
    told: tuple[Phrase, ...]
    page: JoinLink | None = None


@dataclass(frozen=True)
class SentAway:
    """A person whom the person's own table lets in no more. `target` names the ban, and is the
    fingerprint of a key (`is_key`) or an address. `until` is in Unix seconds; 0: for good. `name` may
    be empty.
    """

    target: str
    name: str
    until: int
    is_key: bool = True


class TablePrograms(Protocol):
    """Starts the programs, and ends them with the app."""

    @property
    def own(self) -> OpenedTable | None:
        """Return the person's own table while its program runs."""

    async def open(self, request: TableRequest, name: str) -> OpenedTable:
        """Open the person's table, or return the one that is open already. `name` is the name
        under which the person plays.

        Raises: LocalError with the table's own reason.
        """

    @property
    def earlier(self) -> JoinLink | None:
        """Return the link of the table that the person has opened last, in this program or an
        earlier one; None if there is none.
        """

    async def open_again(self, name: str) -> OpenedTable:
        """Open the table of `earlier` as it was: its link stays. Raises: LocalError."""

    async def change(self, terms: Terms, name: str) -> OpenedTable:
        """Have the person's open table play something else. Its link stays, and the people there
        come back by themselves. Raises: LocalError.
        """

    async def send_away(self, key: str) -> None:
        """Close the connections of the person with this fingerprint to the person's own table, and
        keep that person out for `SENT_AWAY_SECONDS`. A seat in a running match stays. Raises:
        LocalError.
        """

    async def sent_away(self) -> tuple[SentAway, ...]:
        """Return those whom the person's own table lets in no more. Raises: LocalError."""

    async def let_back(self, target: str) -> None:
        """Let somebody of `sent_away` in again. Raises: LocalError."""

    async def bring_bots_back(self, link: JoinLink) -> None:
        """Start the bots again whose matches at the tables of this link are not over."""

    async def close(self) -> None:
        """End the person's table. A match that is not over goes on when it opens again."""

    async def add_bot(
        self, link: JoinLink, table_id: str, terms: Terms, taken: tuple[str, ...]
    ) -> str:
        """Have a bot take a seat at a table for one match, and return the bot's name. `taken` are
        the names of the people there. Raises: LocalError if no bot can play there.
        """

    async def send_bots_away(self, link: JoinLink, table_id: str) -> None:
        """End the bots of a match that has not begun."""

    async def end(self) -> None:
        """End all programs."""
