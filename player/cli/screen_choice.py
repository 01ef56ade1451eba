"""The choice of a player's screen and of its language."""

import argparse
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import NamedTuple

from bots.pace import ThinkTime
from bots.registry import Bot, available_bots
from bots.think_limits import ABOUT as THINKING
from bots.think_limits import SearchStrength, ThinkDeadline, never_stop
from commandline.optional_packages import require_web
from player.client.bot_pace import ThinkingBot
from player.presenter.match_screen import MatchScreen
from player.storage.contacts import Contact
from player.storage.data_directory import default_data
from player.ui.console_lines import PlainLines
from player.ui.terminal.leftover_input import drop_leftover_input
from player.ui.terminal.plain_screen import PlainScreen
from protocol.i18n.language_choice import own_language
from protocol.limits import BOT_GAMES
from protocol.view.text import Translate


class Screen(NamedTuple):
    """The screen of a match, and the bot that plays it; None if the person at the screen plays."""

    shown: MatchScreen
    bot: Bot | None


# makes the screen of a match, for as long as the match lasts
Screens = Callable[[argparse.Namespace, dict[str, Contact]], AbstractAsyncContextManager[Screen]]


def strength_of(args: argparse.Namespace, stop: Callable[[], bool] = never_stop) -> SearchStrength:
    """Return the search effort of a bot; `stop` ends its search."""
    return SearchStrength(args.nodes, args.simulations or BOT_GAMES, stop)


@asynccontextmanager
async def screen_for(
    args: argparse.Namespace, contacts: dict[str, Contact]
) -> AsyncIterator[Screen]:
    """Lines for a bot and for a list of tables, a terminal for who plays or looks on, as long as
    this lasts.
    """
    drop_leftover_input()
    patience = ThinkDeadline(ThinkTime(args.pace, args.spread))
    translate = own_language()
    bot = available_bots(args.games, strength_of(args, patience.is_over)).get(args.bot)
    if bot and (args.pace or args.bot in THINKING):
        try:
            yield Screen(
                PlainScreen(contacts, args.quiet, translate, bot=ThinkingBot(bot, patience)), None
            )
        finally:
            patience.has_ended = True  # a thought that nobody waits for any more
    elif bot or getattr(args, "list", False):
        yield Screen(PlainScreen(contacts, args.quiet, translate), bot)
    elif getattr(args, "web", False):
        async with _page(args, contacts) as shown:
            yield Screen(shown, None)
    else:
        async with _terminal(contacts, translate, getattr(args, "spectate", False)) as shown:
            yield Screen(shown, None)


def load_page() -> None:
    """Load what a page needs, which takes a while: in a thread, while other things happen. Raises:
    LocalError.
    """
    with require_web():
        import_module("player.ui.web.match_page")


@asynccontextmanager
async def _page(
    args: argparse.Namespace, contacts: dict[str, Contact]
) -> AsyncIterator[MatchScreen]:
    """Raises: LocalError where what a page needs is not installed."""
    with require_web():
        from player.ui.web.match_page import PageOptions, page_screen
    options = PageOptions(
        args.games, args.data or default_data(), getattr(args, "spectate", False), args.web_name
    )
    async with page_screen(options, contacts) as shown:
        yield shown


@asynccontextmanager
async def _terminal(
    contacts: dict[str, Contact], translate: Translate, watching: bool
) -> AsyncIterator[MatchScreen]:
    # these take a while to import; bots do without
    from player.ui.terminal.prompt import Prompt, can_prompt
    from player.ui.terminal.terminal_screen import TerminalScreen

    lines = Prompt() if can_prompt() else PlainLines()
    terminal = TerminalScreen(contacts, lines, translate, watching)
    async with lines.open(terminal):
        yield terminal
