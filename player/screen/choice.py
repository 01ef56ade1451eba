"""Which screen a player gets, in the language of its environment."""

import argparse
import os
from typing import NamedTuple

from bots.registry import Bot, bots_of
from player.disk.contacts import Contact
from player.screen.announcer import Announcer, PacedBot
from player.screen.leftover import drop_leftover_input
from protocol.locale import languages_of, translator
from protocol.view.words import Translate


class Screen(NamedTuple):
    """What shows a match, and the bot that plays it at once; None: who is at the screen does."""

    shown: Announcer
    bot: Bot | None


def own_language() -> Translate:
    """What this program's person reads."""
    return translator(*languages_of(os.environ))


def screen_for(args: argparse.Namespace, contacts: dict[str, Contact]) -> Screen:
    """Lines for a bot and for a list of tables, a terminal for a person who plays or looks on."""
    drop_leftover_input()
    translate, bot = own_language(), bots_of(args.games)[args.bot] if args.bot else None
    if bot and args.pace:
        return Screen(PacedBot(contacts, args.quiet, bot, args.pace, translate), None)
    if bot or getattr(args, "list", False):
        return Screen(Announcer(contacts, args.quiet, translate), bot)
    from player.screen.terminal import Terminal  # these need rich, which takes a while to import; bots do without
    from player.screen.watching import Watcher

    return Screen((Watcher if getattr(args, "spectate", False) else Terminal)(contacts, translate), None)
