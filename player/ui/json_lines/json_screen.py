"""JsonScreen: a match, and the tables behind a link, as lines of JSON. Requests come the same way.

Each line is an object with `event`. A request is an object: `{"offer": 0, "numbers": [2], "turn": 7}`
chooses an offer of the `your_turn` with this number, `{"sit": true, "turn": 7}` sits out or in,
`{"line": "say hello"}` does what a person's line does, and `{"tables": {…}}` is a request of the
lobby. See docs/write-a-screen.md.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from player.client import events
from player.client.bot_pace import ThinkingBot
from player.client.client_base import ClientBase
from player.client.outcome import Outcome
from player.presenter.event_data import event_data
from player.presenter.match_data import verdict_data, view_data
from player.presenter.match_screen import TableChoice
from player.presenter.presenter import Presenter, StaleChoice
from player.storage.contacts import Contact
from player.ui.console_lines import put
from protocol.errors import LocalError
from protocol.view.phrase import Phrase
from protocol.view.text import Translate

WIDTH = 80  # columns of a table in text


class JsonScreen:
    """Prints a line of JSON for each event, and takes lines of JSON."""

    def __init__(
        self,
        contacts: dict[str, Contact],
        translate: Translate,
        watching: bool = False,
        *,
        has_input: bool = True,
        bot: ThinkingBot | None = None,
        write: Callable[[str], None] = put,
    ) -> None:
        """`has_input`: somebody types. `bot`: the bot that chooses, if it takes its time."""
        self.presenter = Presenter(
            contacts,
            translate,
            watching,
            clock=asyncio.get_running_loop().time,
            tell_hint=lambda lines: self._put("hint", lines=lines),
        )
        self._has_input = has_input
        self._bot = bot
        self._write = write
        self._tables: TableChoice | None = None

    # --- player.presenter.match_screen.MatchScreen ---

    @property
    def client(self) -> ClientBase | None:
        """The client that the screen shows."""
        return self.presenter.client

    @property
    def stopped(self) -> bool:
        """The program at the other end wants it to end."""
        return self.presenter.stopped

    def follow(self, client: ClientBase, link: str | None = None) -> None:
        """Show this client from now on."""
        self.presenter.follow(client, link)

    def stop(self) -> None:
        """End, and keep the match."""
        self.presenter.stop()

    def hear(self, event: events.Event) -> None:
        """Print a line for an event."""
        presenter = self.presenter
        if not presenter.admit(event):
            return
        presenter.hear(event)
        match event:
            case events.YourTurn():
                if presenter.is_asked:
                    self._ask(event)
            case events.Listed() if self._tables is not None:
                self._tables.take_tables(event)
                self._put("tables", **self._tables.shown())
            case _:
                lines = [*presenter.lines(event), *presenter.presence_lines(event)]
                told = event_data(event, presenter.own, presenter.contacts, self.translate)
                self._put(**told, lines=[line.text for line in lines if line.text])

    def _ask(self, event: events.YourTurn) -> None:
        presenter = self.presenter
        view = presenter.view(event.match)
        data = view_data(view, presenter.say_of(event.match))
        self._put("your_turn", turn=presenter.turn_number(view), view=data)
        if self._bot is not None and presenter.client is not None:
            self._bot.turn(presenter.client, event.match)

    async def again(self) -> bool:
        """Ask for another match; the answer is `{"line": "yes"}`."""
        if self.stopped or self.presenter.watching or not self._has_input:
            return False
        self._put("again")
        return self.presenter.is_yes(await self.presenter.ask())

    def ended(self, outcome: Outcome) -> None:
        """Print how the match ended."""
        self._put("ended", **verdict_data(outcome, self.presenter.own, self.translate))

    def tell(self, told: Phrase, always: bool = False) -> None:
        """Print a sentence that names nobody at the table."""
        self._put("told", lines=[self.presenter.narrator.say(told)])

    # --- player.presenter.match_screen.TableScreen ---

    @property
    def translate(self) -> Translate:
        """The language of sentences."""
        return self.presenter.narrator.translate

    @property
    def has_viewer(self) -> bool:
        """A program reads all the time."""
        return True

    def show_lobby(self, lobby: TableChoice | None) -> None:
        """Take requests for these tables. None: the program at the other end has decided."""
        self._tables = lobby

    def warn(self, text: str) -> None:
        """Print what did not work."""
        self._put("error", text=text)

    # --- player.presenter.match_screen.InputScreen ---

    def typed(self, line: str | None) -> None:
        """Do what a line of JSON asks. None: the end of the input.

        The end of the input is no wish of an onlooker, as where a script has no input at all.
        """
        if line is None:
            if not self.presenter.watching:
                self.presenter.typed(None, WIDTH)
            return
        try:
            self._obey(json.loads(line))
        except StaleChoice:
            self.warn(self.presenter.words("web.stale"))
        except LocalError as error:
            self.warn(self.presenter.text(error.phrase))
        except (ValueError, RecursionError):
            self.warn(self.presenter.words("json.no_request"))

    def _obey(self, asked: Any) -> None:
        """Raises: ValueError for what is no request; StaleChoice, LocalError."""
        match asked:
            case {"offer": int(offer), "turn": int(turn)}:
                numbers = asked.get("numbers", [])
                if type(numbers) is not list or {*map(type, numbers)} - {int}:
                    raise ValueError
                self.presenter.choose(offer, numbers, turn)
            case {"sit": True, "turn": int(turn)}:
                self.presenter.sit(turn)
            case {"line": str(line)}:
                reply = self.presenter.typed(line, WIDTH, may_choose=False)
                self._put("reply", lines=[each.text for each in reply.lines])
            case {"tables": dict(body)} if self._tables is not None:
                self._put("answer", **self._tables.answer(body))
            case _:
                raise ValueError

    def _put(self, event: str, **data: Any) -> None:
        # ASCII: nobody's words steer a terminal
        self._write(json.dumps({"event": event, **data}, separators=(",", ":")) + "\n")
