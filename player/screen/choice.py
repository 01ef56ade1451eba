"""Which screen a player gets, in the language of its environment."""

import argparse
import os

from bots.registry import BOTS
from player.disk.contacts import Contact
from player.screen.announcer import Announcer, PacedBot
from protocol.locale import languages_of, translator
from protocol.view.words import Translate


def own_language() -> Translate:
    """What this program's person reads."""
    return translator(*languages_of(os.environ))


def screen_for(args: argparse.Namespace, contacts: dict[str, Contact], watching: bool = False) -> Announcer:
    """Lines for a bot and for who only watches, the terminal for a person who plays."""
    translate = own_language()
    if args.bot and args.pace:
        return PacedBot(contacts, args.quiet, BOTS[args.bot], args.pace, translate)
    if args.bot or watching:
        return Announcer(contacts, args.quiet, translate)
    from player.screen.terminal import Terminal  # rich takes a while to import, and bots do without

    return Terminal(contacts, translate)
