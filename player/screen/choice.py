"""Which screen a player gets, in the language of its environment."""

import argparse
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from bots.registry import Bot, bots_of
from player.disk.contacts import Contact
from player.screen.announcer import Announcer, PacedBot
from player.screen.lines import PlainLines
from protocol.locale import languages_of, translator
from protocol.view.words import Translate


class Screen(NamedTuple):
    """What shows a match, and the bot that plays it at once; None: who is at the screen does."""

    shown: Announcer
    bot: Bot | None


def own_language() -> Translate:
    """What this program's person reads."""
    return translator(*languages_of(os.environ))


@asynccontextmanager
async def screen_for(
    args: argparse.Namespace, contacts: dict[str, Contact], watching: bool = False
) -> AsyncIterator[Screen]:
    """Lines for a bot and for who only watches, the terminal for a person who plays. It lasts as long as this does."""
    translate, bot = own_language(), bots_of(args.games)[args.bot] if args.bot else None
    if bot and args.pace:
        yield Screen(PacedBot(contacts, args.quiet, bot, args.pace, translate), None)
    elif bot or watching:
        yield Screen(Announcer(contacts, args.quiet, translate), bot)
    else:
        async with _terminal(contacts, translate) as shown:
            yield Screen(shown, None)


@asynccontextmanager
async def _terminal(contacts: dict[str, Contact], translate: Translate) -> AsyncIterator[Announcer]:
    from player.screen.prompt import Prompt, can_prompt  # these take a while to import, and bots do without
    from player.screen.terminal import Terminal

    lines = Prompt() if can_prompt() else PlainLines()
    terminal = Terminal(contacts, lines, translate)
    async with lines.open(terminal.typed, terminal.status):
        yield terminal
