"""PlainScreen: lines on standard output, for bots, lists and scripts; nobody types here."""

import os
import sys
import time
from collections.abc import Callable
from shutil import get_terminal_size

from player.client import events
from player.client.bot_pace import ThinkingBot
from player.client.client_base import ClientBase
from player.client.outcome import Outcome
from player.presenter import narration
from player.presenter.narrator import Narrator, Style, StyledLine
from player.storage.contacts import Contact
from player.ui.console_lines import put
from protocol.audit.verdict import Verdict
from protocol.i18n import english
from protocol.match.state import Match
from protocol.view.phrase import Phrase
from protocol.view.text import Translate

PATIENCE = 1.0  # seconds of dealing before a progress bar appears
DUMB = ("dumb", "unknown")  # terminals without control sequences, as TERM names them
REFRESH = 0.2  # seconds between two states of the bar


class ProgressBar:
    """Shows how far a deal is, once it has taken longer than people wait without asking.

    On a terminal one line changes. Elsewhere there is a line for each step.
    """

    def __init__(self, is_live: bool, after: float = PATIENCE) -> None:
        """`is_live`: standard output is a terminal. `after`: seconds before the bar appears."""
        # a terminal that is called dumb knows no sequence that clears a line
        self._is_live = is_live and os.environ.get("TERM") not in DUMB
        self._after = after
        self._dealing_since: float | None = None
        self._shown = ("", 0.0)  # the newest words, and when they were drawn
        self._is_drawn = False  # a bar stands on the present line

    def show(self, match: Match, translate: Translate) -> str | None:
        """Draw the bar on a terminal, or return a line for another output, if one is due."""
        now = time.monotonic()
        found = narration.deal_progress(match, translate)
        if found is None:
            self._dealing_since = None
            return None
        if self._dealing_since is None:
            self._dealing_since = now
        if now - self._dealing_since < self._after:
            return None
        words, drawn = self._shown
        line = narration.progress_bar(match, translate)
        if self._is_live and now - drawn >= REFRESH:
            put(f"\r\x1b[K{line}")
            self._is_drawn = True
            self._shown = (found[0], now)
        elif not self._is_live and words != found[0]:
            self._shown = (found[0], now)
            return line
        return None

    def clear(self) -> None:
        """Make way for a line."""
        if self._is_drawn:
            put("\r\x1b[K")
            self._is_drawn = False


def ended_lines(outcome: Outcome, own: int | None, translate: Translate) -> list[StyledLine]:
    """Return the lines that say how a match ended; the last one is the verdict."""
    if outcome.verdict is Verdict.CLEAN:
        style = Style.GOOD if narration.is_winner(outcome, own) else Style.PLAIN
    elif outcome.verdict is Verdict.INCOMPLETE:  # it may go on later
        style = Style.PLAIN
    else:
        style = Style.BAD
    return [
        *(StyledLine(text) for text in narration.winner_lines(outcome, own, translate)),
        StyledLine(narration.verdict_text(outcome, translate), style),
    ]


class PlainScreen:
    """Prints a line for each event."""

    def __init__(
        self,
        contacts: dict[str, Contact],
        quiet: bool = False,
        translate: Translate = english,
        clock: Callable[[], float] = time.monotonic,
        bot: ThinkingBot | None = None,
        write: Callable[[str], None] = put,
        bar_after: float = PATIENCE,
    ) -> None:
        """`quiet`: only what must be said. `bot`: the bot that chooses, if it takes its time.

        `bar_after`: seconds of dealing before a progress bar appears.
        """
        self._write = write
        self._is_live = sys.stdout.isatty()
        self.client: ClientBase | None = None
        self.stopped = False  # the person, or the program that runs this, wants it to end
        self._narrator = Narrator(contacts, translate)
        self._quiet = quiet
        self._clock = clock
        self._bot = bot
        self._progress = ProgressBar(self._is_live, bar_after)

    def hear(self, event: events.Event) -> None:
        """Print what there is to say, and let the bot think."""
        playing = self.client.playing if self.client else None
        self._narrator.columns = get_terminal_size().columns if self._is_live else None
        self._print(self._narrator.lines(event, playing))
        if isinstance(event, events.YourTurn) and self._bot and self.client:
            self._bot.turn(self.client, event.match)
        elif isinstance(event, events.Happened) and not self._quiet:
            bar = self._progress.show(event.match, self._narrator.translate)
            if bar is not None:
                self.line(bar)
        self._print(self._narrator.presence_lines(event, self._clock()))

    def follow(self, client: ClientBase, link: str | None = None) -> None:
        """Show this client from now on. It ends at once if the screen was stopped before."""
        self.client = client
        if self.stopped:
            client.stop()

    def stop(self) -> None:
        """End, and keep the match: Ctrl-C, Ctrl-D, SIGTERM."""
        self.stopped = True
        if self.client is not None:
            self.client.stop()

    async def again(self) -> bool:
        """Return False: nobody is there who wants another match."""
        return False

    def ended(self, outcome: Outcome) -> None:
        """Say how the match ended."""
        own = self.client.playing.own if self.client and self.client.playing else None
        *lines, verdict = ended_lines(outcome, own, self._narrator.translate)
        self._print(lines)
        self.line(verdict.text, always=True)

    def tell(self, told: Phrase, always: bool = False) -> None:
        """Print a sentence that names nobody at the table."""
        self.line(self._narrator.say(told), always)

    def line(self, text: str, always: bool = False) -> None:
        """Print one line."""
        if self._quiet and not always:
            return
        self._progress.clear()
        self._write(f"{text}\n")

    def _print(self, lines: list[StyledLine]) -> None:
        for line in lines:
            self.line(line.text)
