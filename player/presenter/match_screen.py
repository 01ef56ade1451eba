"""Protocols of screens: the methods that programs call."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from player.client import events
from player.client.client_base import ClientBase
from player.client.outcome import Outcome
from player.presenter.presenter import Presenter
from protocol.match.match_rules import MatchRules
from protocol.view.phrase import Phrase
from protocol.view.text import Translate


class MatchScreen(Protocol):
    """Shows the matches of a client, one after another."""

    @property
    def client(self) -> ClientBase | None:
        """The client that the screen shows."""

    @property
    def stopped(self) -> bool:
        """Return True if the person, or the program that runs the screen, wants it to end."""

    def follow(self, client: ClientBase, link: str | None = None) -> None:
        """Show this client from now on. It ends at once if the screen was stopped before.

        `link`: the link by which other people come to the same place.
        """

    def hear(self, event: events.Event) -> None:
        """Show an event."""

    def stop(self) -> None:
        """End, and keep the match: Ctrl-C, Ctrl-D, SIGTERM."""

    async def again(self) -> bool:
        """Ask for another match, and return the answer; False if nobody can be asked."""

    def ended(self, outcome: Outcome) -> None:
        """Show how the match ended."""

    def tell(self, sentence: Phrase, always: bool = False) -> None:
        """Show a sentence that names nobody at the table. `always`: also in quiet mode."""


@runtime_checkable
class InputScreen(Protocol):
    """A screen that takes lines of standard input."""

    def typed(self, line: str | None) -> None:
        """Carry out a typed line. None: the end of the input."""


@runtime_checkable
class AskingScreen(Protocol):
    """A screen on which a person can answer a question before a match."""

    async def confirm(self, question: Phrase) -> bool:
        """Ask the question, and return the answer; False if nobody can be asked."""


class TableChoice(Protocol):
    """The tables behind a link, of which a person chooses one."""

    def take_tables(self, event: events.Listed) -> None:
        """Take the manager's list of tables."""

    def take_terms(self, event: events.Offered) -> None:
        """Take the terms of the table at which the person is about to sit down."""

    def take_waiting(self, event: events.Waiting) -> None:
        """Take the people who wait at the person's table."""

    def shown(self) -> dict[str, Any]:
        """Return the tables as data; `tables` is null before the first list."""

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a request, and return its answer. Raises: LocalError."""

    def match_rules(self, body: Mapping[str, Any]) -> MatchRules:
        """Return the rules of a table, or of the form for a new one. Raises: LocalError."""


@runtime_checkable
class TableScreen(MatchScreen, Protocol):
    """A screen on which a person also chooses a table."""

    @property
    def presenter(self) -> Presenter:
        """The presenter. The person may be a spectator."""

    @property
    def translate(self) -> Translate:
        """The language of the screen."""

    @property
    def has_viewer(self) -> bool:
        """Return True if somebody looks at the screen: then the list of tables is kept up to date."""

    def show_lobby(self, lobby: TableChoice | None) -> None:
        """Show these tables until the person has chosen one. None: the person has chosen."""

    def warn(self, text: str) -> None:
        """Show a failure."""
