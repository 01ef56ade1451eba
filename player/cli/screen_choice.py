"""The table of screens, and the choice of one by the options of a command.

A new screen is a folder in `player/ui` and a row in `SCREENS`: see docs/write-a-screen.md.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

from bots.pace import ThinkTime
from bots.registry import Bot, available_bots
from bots.think_limits import ABOUT as THINKING
from bots.think_limits import SearchStrength, ThinkDeadline, never_stop
from commandline.optional_packages import require_web
from player.client.bot_pace import ThinkingBot
from player.presenter.match_screen import InputScreen, MatchScreen
from player.storage.contacts import Contact
from player.storage.data_directory import default_data
from player.ui.console_lines import PlainLines, read_lines
from player.ui.terminal.leftover_input import drop_leftover_input
from player.ui.terminal.plain_screen import PlainScreen
from protocol.errors import LocalError
from protocol.i18n.language_choice import own_language
from protocol.limits import BOT_GAMES
from protocol.options import or_phrase
from protocol.view.phrase import Phrase
from protocol.view.text import Translate, phrase_renderer

# flags of `fairdeal join` for a match in which no person chooses
UNATTENDED = ("bot", "list")


class Screen(NamedTuple):
    """The screen of a match, and the bot that plays it; None if the person at the screen plays."""

    shown: MatchScreen
    bot: Bot | None


# makes the screen of a match, for as long as the match lasts
Screens = Callable[[argparse.Namespace, dict[str, Contact]], AbstractAsyncContextManager[Screen]]


@dataclass(frozen=True)
class ScreenRequest:
    """The values from which a screen is made."""

    args: argparse.Namespace
    contacts: dict[str, Contact]
    translate: Translate
    watching: bool  # the person looks on
    bot: ThinkingBot | None = None  # the bot to which the screen passes each turn
    has_input: bool = True  # somebody types


@dataclass(frozen=True)
class ScreenRow:
    """A screen and its abilities."""

    open: Callable[[ScreenRequest], AbstractAsyncContextManager[MatchScreen]]
    # each line of standard input goes to `InputScreen.typed`
    takes_input: bool = False
    # the screen is a `TableScreen`: a person chooses a table on it
    shows_tables: bool = False
    # the screen shows the match of a bot and the list of `--list`; others need a person
    shows_bots: bool = False
    # False: a person can look on there, but not choose
    takes_choices: bool = True
    # standard output is data for a program, so commands write their sentences to standard error
    prints_data: bool = False
    # slow imports, which run in a thread while a table starts
    load: Callable[[], None] | None = None

    def tell(self, told: Phrase) -> None:
        """Print a sentence of a command while the screen is not open."""
        out = sys.stderr if self.prints_data else sys.stdout
        print(phrase_renderer(own_language(), ())(told), file=out, flush=True)


def screen_name(args: argparse.Namespace) -> str | None:
    """Return the name of the screen in the options; None if they name none."""
    if getattr(args, "web", False):
        return "web"
    name: str | None = getattr(args, "screen", None)
    return name


def screen_row(args: argparse.Namespace, unattended: Sequence[str] = UNATTENDED) -> ScreenRow:
    """Return the row of the screen that the options name, or else the usual one.

    `unattended`: the flags with which no person chooses. Raises: LocalError if the options do not
    go together.
    """
    name = screen_name(args)
    given = [flag for flag in unattended if getattr(args, flag, None)]
    if name is None:
        return SCREENS["lines" if given else "terminal"]
    flag = "web" if getattr(args, "web", False) else "screen"
    if flag == "web" and getattr(args, "screen", None):
        raise LocalError("wrong.together", one="web", other="screen")
    if name not in SCREENS:
        raise LocalError("wrong.screen", name=name, names=or_phrase(tuple(SCREENS)))
    row = SCREENS[name]
    if given and not row.shows_bots:
        raise LocalError("wrong.together", one=flag, other=given[0])
    if not (given or row.takes_choices or getattr(args, "spectate", False)):
        raise LocalError("wrong.screen.no_choices", name=name)
    return row


def strength_of(args: argparse.Namespace, stop: Callable[[], bool] = never_stop) -> SearchStrength:
    """Return the search effort of a bot; `stop` ends its search."""
    return SearchStrength(args.nodes, args.simulations or BOT_GAMES, stop)


@asynccontextmanager
async def screen_for(
    args: argparse.Namespace, contacts: dict[str, Contact]
) -> AsyncIterator[Screen]:
    """Open the screen that the options choose, as long as this lasts. Raises: LocalError."""
    row = screen_row(args)
    drop_leftover_input()
    patience = ThinkDeadline(ThinkTime(args.pace, args.spread))
    bot = available_bots(args.games, strength_of(args, patience.is_over)).get(args.bot)
    thinking = None
    if bot and (args.pace or args.bot in THINKING):
        thinking = ThinkingBot(bot, patience)
        bot = None
    request = ScreenRequest(
        args,
        contacts,
        own_language(),
        watching=getattr(args, "spectate", False),
        bot=thinking,
        has_input=not args.bot and not getattr(args, "list", False),
    )
    try:
        async with row.open(request) as shown:
            if row.takes_input and request.has_input:
                assert isinstance(shown, InputScreen)
                read_lines(asyncio.get_running_loop(), shown.typed)
            yield Screen(shown, bot)
    finally:
        patience.has_ended = True  # a thought that nobody waits for any more


def load_page() -> None:
    """Load what a page needs, which takes a while: in a thread, while other things happen. Raises:
    LocalError.
    """
    with require_web():
        import_module("player.ui.web.match_page")


@asynccontextmanager
async def _lines(request: ScreenRequest) -> AsyncIterator[MatchScreen]:
    quiet = request.args.quiet
    yield PlainScreen(request.contacts, quiet, request.translate, bot=request.bot)


@asynccontextmanager
async def _page(request: ScreenRequest) -> AsyncIterator[MatchScreen]:
    """Raises: LocalError if a package that a page needs is not installed."""
    with require_web():
        from player.ui.web.match_page import PageOptions, page_screen
    args = request.args
    options = PageOptions(
        args.games,
        args.data or default_data(),
        request.watching,
        args.web_name,
        only_bots=getattr(args, "only_bots", False),
    )
    async with page_screen(options, request.contacts) as shown:
        yield shown


@asynccontextmanager
async def _terminal(request: ScreenRequest) -> AsyncIterator[MatchScreen]:
    # these take a while to import; bots do without
    from player.ui.terminal.prompt import Prompt, can_prompt
    from player.ui.terminal.terminal_screen import TerminalScreen

    lines = Prompt() if can_prompt() else PlainLines()
    terminal = TerminalScreen(request.contacts, lines, request.translate, request.watching)
    async with lines.open(terminal):
        yield terminal


@asynccontextmanager
async def _json(request: ScreenRequest) -> AsyncIterator[MatchScreen]:
    from player.ui.json_lines.json_screen import JsonScreen

    yield JsonScreen(
        request.contacts,
        request.translate,
        request.watching,
        has_input=request.has_input,
        bot=request.bot,
    )


# the values of `--screen`
SCREENS = {
    "terminal": ScreenRow(_terminal),
    "lines": ScreenRow(_lines, shows_bots=True, takes_choices=False),
    "json": ScreenRow(
        _json, takes_input=True, shows_tables=True, shows_bots=True, prints_data=True
    ),
    "web": ScreenRow(_page, shows_tables=True, load=load_page),
}
